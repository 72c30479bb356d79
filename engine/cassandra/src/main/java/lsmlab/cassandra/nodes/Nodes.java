// SPDX-License-Identifier: Apache-2.0
package lsmlab.cassandra.nodes;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/** A cluster of Cassandra nodes on this machine. */
public final class Nodes implements AutoCloseable {
    private static final long START_NANOS = TimeUnit.SECONDS.toNanos(60);
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final Layout layout;
    private final List<NodeProcess> nodes = new ArrayList<>();

    /** Starts all of them together: each is a seed, and none waits for another one. Returns at once. */
    public Nodes(Path folder, int count, Installation installation) throws IOException {
        layout = Layout.of(folder, count);
        try {
            for (int number = 1; number <= count; number++) {
                NodeProcess node = new NodeProcess(number, layout, folder.resolve("node-" + number), installation);
                nodes.add(node);
                node.start();
            }
        } catch (IOException e) {
            close();
            throw e;
        }
    }

    /**
     * Returns when clients can connect to each node.
     *
     * @throws IOException if one of them ends instead, or takes more than a minute
     */
    public void await() throws IOException {
        long deadline = System.nanoTime() + START_NANOS;
        for (NodeProcess node : nodes) {
            while (!node.answers()) {
                if (!node.isAlive()) {
                    throw new IOException("a node of Cassandra ended while it started; %s says why".formatted(node.log()));
                }
                if (System.nanoTime() > deadline) {
                    throw new IOException("a node of Cassandra did not start within a minute; see %s".formatted(node.log()));
                }
                LockSupport.parkNanos(LOOK_NANOS);
            }
        }
    }

    /** Where clients reach them. */
    public List<InetSocketAddress> addresses() {
        return IntStream.rangeClosed(1, nodes.size()).mapToObj(layout::cql).toList();
    }

    /** For each, what {@code /v0/stats} shows. */
    public List<Map<String, Object>> stats() {
        return IntStream.range(0, nodes.size()).mapToObj(i -> {
            Map<String, Object> node = new LinkedHashMap<>();
            node.put("cql", layout.cql(i + 1).toString());
            node.put("jmxPort", layout.jmx(i + 1));
            node.put("pid", nodes.get(i).pid());
            node.put("alive", nodes.get(i).isAlive());
            return node;
        }).toList();
    }

    /** Asks all to stop; returns when none is left. */
    @Override
    public void close() {
        nodes.forEach(NodeProcess::stop);
        nodes.forEach(NodeProcess::awaitEnd);
    }
}
