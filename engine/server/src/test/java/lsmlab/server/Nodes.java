// SPDX-License-Identifier: Apache-2.0
package lsmlab.server;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;

/** Nodes of a cluster, each a process, for tests that extend this. */
abstract class Nodes {
    @TempDir
    Path folder;

    final List<Integer> ports = new ArrayList<>();
    final List<ServerProcess> nodes = new ArrayList<>();
    /** Words of a command that starts each node. */
    List<String> before = List.of();
    private String[] options;

    @AfterEach
    void stop() {
        nodes.forEach(ServerProcess::close);
    }

    void start(int count, String... options) throws Exception {
        this.options = options;
        for (int node = 0; node < count; node++) {
            ports.add(ServerProcess.freePort());
        }
        for (int node = 0; node < count; node++) {
            nodes.add(startNode(node));
        }
    }

    /** Words of the command that starts this node. */
    List<String> before(int node) {
        return before;
    }

    private ServerProcess startNode(int node) throws Exception {
        List<String> all = new ArrayList<>(List.of("--cluster", ports.stream().map(port -> "http://localhost:" + port).collect(Collectors.joining(","))));
        all.addAll(List.of(options));
        if (!all.contains("--peer-timeout")) {
            all.addAll(List.of("--peer-timeout", "30s")); // on a busy machine a cold node takes its time
        }
        return new ServerProcess(ports.get(node), "128m", before(node), folder.resolve("node" + node), all.toArray(String[]::new));
    }

    void kill(int node) throws Exception {
        nodes.get(node).kill();
    }

    void restart(int node) throws Exception {
        nodes.set(node, startNode(node));
    }

    HttpResponse<String> put(int node, String id, String value, String parameters) throws Exception {
        return nodes.get(node).put("/v0/entity?id=" + id + parameters, value);
    }

    HttpResponse<String> get(int node, String id, String parameters) throws Exception {
        return nodes.get(node).get("/v0/entity?id=" + id + parameters);
    }

    HttpResponse<String> delete(int node, String id, String parameters) throws Exception {
        return nodes.get(node).delete("/v0/entity?id=" + id + parameters);
    }

    /** Which nodes have the key themselves. */
    List<Integer> copies(String id) {
        return IntStream.range(0, nodes.size()).filter(node -> {
            try {
                return nodes.get(node).get("/v0/entities?start=" + id + "&end=" + id + "0").body().startsWith(id + "\n");
            } catch (IOException | InterruptedException e) {
                throw new AssertionError(e);
            }
        }).boxed().toList();
    }
}
