// SPDX-License-Identifier: Apache-2.0
package lsmlab.cassandra.nodes;

import java.io.IOException;
import java.io.Reader;
import java.io.Writer;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Where the nodes of a cluster listen, all on loopback. Chosen when the cluster is made and kept with its data, because nodes remember each other by address and port.
 *
 * @param shared whether all nodes have one address, and ports of their own: where a system has no 127.0.0.2
 */
record Layout(int nodes, boolean shared, int nativePort, int storagePort, int jmxPort) {
    private static final String FILE = "cluster.properties";
    private static final int NATIVE_PORT = 9042;
    private static final int STORAGE_PORT = 7000;
    private static final int JMX_PORT = 7199;
    private static final int STEP = 20;
    private static final int ATTEMPTS = 50;
    private static final BigInteger RING = BigInteger.TWO.pow(64);
    private static final BigInteger FIRST_TOKEN = BigInteger.TWO.pow(63).negate();

    /**
     * That of the cluster in the folder; a new one if there is none.
     *
     * @throws IOException if it is a cluster of another size, or its ports are in use
     */
    static Layout of(Path folder, int nodes) throws IOException {
        Path file = folder.resolve(FILE);
        if (!Files.exists(file)) {
            Layout chosen = free(nodes);
            Files.createDirectories(folder);
            chosen.write(file);
            return chosen;
        }
        Layout kept = read(file);
        if (kept.nodes != nodes) {
            throw new IOException("%s holds a cluster of %d nodes, not %d: choose another folder, or remove it".formatted(folder, kept.nodes, nodes));
        }
        InetSocketAddress taken = kept.taken();
        if (taken != null) {
            throw new IOException("%s is in use, and the cluster in %s needs it: does it run already?".formatted(taken, folder));
        }
        return kept;
    }

    private static Layout free(int nodes) throws IOException {
        boolean shared = IntStream.rangeClosed(2, nodes).anyMatch(node -> !isFree(new InetSocketAddress("127.0.0." + node, 0)));
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            int more = attempt * STEP;
            Layout layout = new Layout(nodes, shared, NATIVE_PORT + more, STORAGE_PORT + more, JMX_PORT + more);
            if (layout.taken() == null) {
                return layout;
            }
        }
        throw new IOException("no free ports on loopback from %d on in steps of %d".formatted(NATIVE_PORT, STEP));
    }

    /** One of its ports that is in use; null if none is. */
    private InetSocketAddress taken() {
        List<IntFunction<InetSocketAddress>> kinds = List.of(this::cql, this::storage, node -> new InetSocketAddress(InetAddress.getLoopbackAddress(), jmx(node)));
        return kinds.stream().flatMap(kind -> IntStream.rangeClosed(1, nodes).mapToObj(kind)).filter(address -> !isFree(address)).findFirst().orElse(null);
    }

    private static boolean isFree(InetSocketAddress address) {
        try (ServerSocket socket = new ServerSocket()) {
            socket.setReuseAddress(true);
            socket.bind(address);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private static Layout read(Path file) throws IOException {
        Properties kept = new Properties();
        try (Reader reader = Files.newBufferedReader(file)) {
            kept.load(reader);
            return new Layout(number(kept, "nodes"), Boolean.parseBoolean(kept.getProperty("shared")), number(kept, "nativePort"), number(kept, "storagePort"), number(kept, "jmxPort"));
        } catch (IllegalArgumentException e) {
            throw new IOException(file + " is damaged: remove the folder, with the cluster's data in it", e);
        }
    }

    private static int number(Properties kept, String name) {
        return Integer.parseInt(kept.getProperty(name));
    }

    private void write(Path file) throws IOException {
        Properties kept = new Properties();
        kept.setProperty("nodes", Integer.toString(nodes));
        kept.setProperty("shared", Boolean.toString(shared));
        kept.setProperty("nativePort", Integer.toString(nativePort));
        kept.setProperty("storagePort", Integer.toString(storagePort));
        kept.setProperty("jmxPort", Integer.toString(jmxPort));
        try (Writer writer = Files.newBufferedWriter(file)) {
            kept.store(writer, null);
        }
    }

    /** Nodes are numbered from 1. */
    String address(int node) {
        return shared ? "127.0.0.1" : "127.0.0." + node;
    }

    private int port(int first, int node) {
        return shared ? first + node - 1 : first;
    }

    /** Where clients reach a node. */
    InetSocketAddress cql(int node) {
        return new InetSocketAddress(address(node), port(nativePort, node));
    }

    InetSocketAddress storage(int node) {
        return new InetSocketAddress(address(node), port(storagePort, node));
    }

    int jmx(int node) {
        return jmxPort + node - 1;
    }

    /** Nodes divide the ring evenly. One that joins later takes a part of each of the others', so that each is the first replica of as many keys. */
    List<String> tokens(int node) {
        if (node <= nodes) {
            return List.of(token(node).toString());
        }
        BigInteger part = RING.divide(BigInteger.valueOf(nodes * (nodes + 1L)));
        return IntStream.rangeClosed(1, nodes).mapToObj(other -> token(other).add(part).toString()).toList();
    }

    private BigInteger token(int node) {
        return FIRST_TOKEN.add(RING.multiply(BigInteger.valueOf(node - 1L)).divide(BigInteger.valueOf(nodes)));
    }

    /** Whether the node is none of those that the cluster was made of: it gets their data while it joins. */
    boolean joins(int node) {
        return node > nodes;
    }

    String seeds() {
        return IntStream.rangeClosed(1, nodes).mapToObj(node -> address(node) + ":" + storage(node).getPort()).collect(Collectors.joining(","));
    }
}
