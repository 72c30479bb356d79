// SPDX-License-Identifier: Apache-2.0
package lsmlab.cassandra;

import com.datastax.oss.driver.api.core.CqlSession;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import lsmlab.cassandra.nodes.Nodes;

/**
 * What a notebook may do to the nodes, over a port of its own on loopback: {@code POST /kill/2}, {@code /restart/2}, {@code /pid/2}, {@code /join}, {@code /flush}, {@code /compact}, {@code /nodetool/1} with a word a
 * line as body, {@code /cql} with a statement. Each is answered when it is done.
 */
final class Control implements AutoCloseable {
    /** WHY: a page in a browser can't send it to another origin unasked. */
    private static final String HEADER = "X-Lsm-Lab";

    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final Nodes nodes;
    private final CqlSession session;

    /** Opens the port. */
    Control(int port, Nodes nodes, CqlSession session) throws IOException {
        this.nodes = nodes;
        this.session = session;
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
        server.setExecutor(threads);
        server.createContext("/", this::handle);
        server.start();
    }

    private void handle(HttpExchange exchange) throws IOException {
        int status = 200;
        String answer;
        try (exchange) {
            try {
                String host = String.valueOf(exchange.getRequestHeaders().getFirst("Host"));
                if (!exchange.getRequestMethod().equals("POST") || !exchange.getRequestHeaders().containsKey(HEADER) || !host.matches("(127\\.0\\.0\\.1|localhost):\\d+")) {
                    throw new IllegalArgumentException("it takes a POST to 127.0.0.1 with the header " + HEADER);
                }
                String[] path = exchange.getRequestURI().getPath().substring(1).split("/");
                answer = act(path[0], path.length > 1 ? Integer.parseInt(path[1]) : 0, new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
            } catch (IllegalArgumentException e) {
                status = 400;
                answer = e.getMessage();
            } catch (IOException | RuntimeException e) {
                status = 500;
                answer = String.valueOf(e.getMessage());
            }
            byte[] bytes = answer.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
            if (bytes.length > 0) {
                exchange.getResponseBody().write(bytes);
            }
        }
    }

    private String act(String what, int node, String body) throws IOException {
        switch (what) {
            case "kill" -> nodes.kill(node);
            case "restart" -> nodes.restart(node);
            case "join" -> {
                nodes.join();
                Sessions.awaitAll(session, nodes.addresses().size());
            }
            case "flush" -> nodes.flush();
            case "compact" -> nodes.compact();
            case "nodetool" -> {
                return nodes.nodetool(node, List.of(body.split("\n")));
            }
            case "pid" -> {
                return Long.toString(nodes.pid(node));
            }
            case "owners" -> {
                return Owners.of(session, nodes.addresses(), body.lines());
            }
            case "cql" -> Schema.run(session, body);
            default -> throw new IllegalArgumentException("no such path: /" + what);
        }
        return "";
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
