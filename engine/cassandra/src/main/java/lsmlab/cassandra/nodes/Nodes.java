// SPDX-License-Identifier: Apache-2.0
package lsmlab.cassandra.nodes;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/** A cluster of Cassandra nodes on this machine, numbered from 1. */
public final class Nodes implements AutoCloseable {
    private static final long START_NANOS = TimeUnit.SECONDS.toNanos(60);
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final Path folder;
    private final Layout layout;
    private final Installation installation;
    private final List<NodeProcess> nodes = new CopyOnWriteArrayList<>();
    private boolean closed;

    /** Starts all of them together: each is a seed, and none waits for another one. Returns at once. */
    public Nodes(Path folder, int count, Installation installation) throws IOException {
        this.folder = folder;
        this.installation = installation;
        layout = Layout.of(folder, count);
        try {
            for (int number = 1; number <= count; number++) {
                begin(number);
            }
        } catch (IOException e) {
            close();
            throw e;
        }
    }

    private synchronized NodeProcess begin(int number) throws IOException {
        if (closed) {
            throw new IOException("the nodes are being stopped");
        }
        NodeProcess node = new NodeProcess(number, layout, folder.resolve("node-" + number), installation);
        nodes.add(node);
        node.start();
        return node;
    }

    /**
     * Returns when clients can connect to each node.
     *
     * @throws IOException if one of them ends instead, or takes more than a minute
     */
    public void await() throws IOException {
        long deadline = System.nanoTime() + START_NANOS;
        for (NodeProcess node : nodes) {
            await(node, deadline);
        }
    }

    private static void await(NodeProcess node, long deadline) throws IOException {
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

    /** Where clients reach them. */
    public List<InetSocketAddress> addresses() {
        return IntStream.rangeClosed(1, nodes.size()).mapToObj(layout::cql).toList();
    }

    /** For each, what {@code /v0/stats} shows. */
    public List<Map<String, Object>> stats() {
        return nodes.stream().map(NodeProcess::stats).toList();
    }

    /** Ends a node as kill -9 does. */
    public void kill(int number) throws IOException {
        runningNode(number).kill();
    }

    private NodeProcess runningNode(int number) throws IOException {
        NodeProcess node = node(number);
        if (!node.isAlive()) {
            throw new IOException("node %d does not run".formatted(number));
        }
        return node;
    }

    /** Starts a node that has ended, on the data that it left; returns when clients can connect to it. */
    public void restart(int number) throws IOException {
        NodeProcess node = node(number);
        synchronized (this) {
            if (closed || node.isAlive()) {
                throw new IOException(closed ? "the nodes are being stopped" : "node %d runs already".formatted(number));
            }
            node.start();
        }
        await(node, System.nanoTime() + START_NANOS);
    }

    /** Starts one more node, which becomes the first replica of its share of the keys; returns when clients can connect to it. */
    public void join() throws IOException {
        NodeProcess node;
        synchronized (this) {
            if (nodes.size() > layout.nodes()) {
                throw new IOException("a node has joined already, and one can");
            }
            node = begin(nodes.size() + 1);
        }
        try {
            await(node, System.nanoTime() + START_NANOS);
        } catch (IOException e) {
            node.kill();
            nodes.remove(node);
            throw e;
        }
    }

    /** The operating system's number of a node's process. */
    public long pid(int number) throws IOException {
        return runningNode(number).pid();
    }

    /** What Cassandra's nodetool prints of a node. */
    public String nodetool(int number, List<String> words) throws IOException {
        return node(number).nodetool(words);
    }

    /** All that run write their memtables of the lab's table to disk. */
    public void flush() throws IOException {
        for (NodeProcess node : running()) {
            node.jmx().flush();
        }
    }

    /** All that run merge their SSTables of the lab's table; returns when that is done. */
    public void compact() throws IOException {
        for (NodeProcess node : running()) {
            node.jmx().compact();
        }
    }

    private List<NodeProcess> running() {
        return nodes.stream().filter(NodeProcess::isAlive).toList();
    }

    private NodeProcess node(int number) throws IOException {
        if (number < 1 || number > nodes.size()) {
            throw new IOException("there is no node %d; they are numbered 1 to %d".formatted(number, nodes.size()));
        }
        return nodes.get(number - 1);
    }

    /** Asks all to stop; returns when none is left. */
    @Override
    public synchronized void close() {
        closed = true;
        nodes.forEach(NodeProcess::stop);
        nodes.forEach(NodeProcess::awaitEnd);
    }
}
