// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.process;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Server processes that share the keys among them, all on loopback and on the cores of this machine. Any node coordinates any request. */
public final class Cluster implements AutoCloseable {
    private final ServerBuilder builder;
    private final List<Integer> ports;
    private final List<Server> nodes = new ArrayList<>();

    private Cluster(ServerBuilder builder, List<Integer> ports) {
        this.builder = builder;
        this.ports = ports;
    }

    static Cluster start(ServerBuilder builder, int nodes) {
        return start(builder, Loopback.freePorts(nodes));
    }

    private static Cluster start(ServerBuilder builder, List<Integer> ports) {
        Cluster cluster = new Cluster(builder, ports);
        String urls = ports.stream().map(Loopback::url).collect(Collectors.joining(","));
        try {
            for (int port : ports) {
                ServerProcess node = builder.onPort(port, urls);
                node.launch();
                cluster.nodes.add(new Server(node));
            }
            cluster.processes().forEach(ServerProcess::awaitServing);
        } catch (RuntimeException e) {
            try {
                cluster.stop();
            } catch (RuntimeException stopping) {
                e.addSuppressed(stopping);
            }
            throw e;
        }
        cluster.processes().getFirst().joinCluster(cluster.processes());
        return cluster;
    }

    /** The node that loads are sent to: it coordinates, and has its share of the keys. */
    public Server first() {
        if (nodes.isEmpty()) {
            throw new IllegalStateException("this cluster was stopped; run the cell that starts it");
        }
        return nodes.getFirst();
    }

    private List<ServerProcess> processes() {
        return nodes.stream().map(Server::process).toList();
    }

    /** All nodes, in the order of their numbers. */
    public List<Server> nodes() {
        return List.copyOf(nodes);
    }

    /** Writes records through the first node; arguments go to the script's init(). */
    public Cluster fill(int records, String script, Object... arguments) {
        Fill.of(ServerProcess.of(first()), records, script, arguments).throughServer();
        return this;
    }

    /** Writes this many ids with empty values, one copy of each; returns on which node, counted from 0, each was found. */
    public Map<String, Integer> owners(int ids) {
        fill(ids, "put-sequential.lua", 0, 1, "&ack=1&from=1", 0);
        Map<String, Integer> owners = new LinkedHashMap<>();
        for (int node = 0; node < nodes.size(); node++) {
            for (String id : nodes.get(node).idsOfEmptyValues()) {
                owners.put(id, node);
            }
        }
        if (owners.size() != ids) {
            throw new IllegalStateException("%d ids were written, %d are there".formatted(ids, owners.size()));
        }
        return owners;
    }

    /** Stops the nodes and starts them again on empty stores, with one more that joined them. */
    public Cluster joinedByOne() {
        first(); // or it was stopped, and its ports may be another's
        stop();
        List<Integer> more = new ArrayList<>(ports);
        more.addAll(Loopback.freePorts(1));
        return start(builder, more);
    }

    /** Ends all nodes and removes their stores; if one fails at that, after all others have ended. */
    public void stop() {
        processes().forEach(ServerProcess::askToEnd);
        Server.stopAll(nodes);
    }

    /** The same as {@link #stop}. */
    @Override
    public void close() {
        stop();
    }

    @Override
    public String toString() {
        return nodes.isEmpty() ? "a cluster, stopped" : nodes.stream().map(Server::toString).collect(Collectors.joining("\n"));
    }
}
