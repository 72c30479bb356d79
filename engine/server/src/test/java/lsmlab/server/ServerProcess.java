// SPDX-License-Identifier: Apache-2.0
package lsmlab.server;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A server as a process of its own, run from the class path. */
final class ServerProcess implements AutoCloseable {
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    final int port;
    final Process process;

    ServerProcess(Path data, String... options) throws IOException, InterruptedException {
        this(freePort(), data, options);
        String banner = process.inputReader().readLine();
        if (banner == null || !banner.contains(":" + port + " serves ")) {
            throw new IllegalStateException("the server did not start: " + banner);
        }
    }

    private ServerProcess(int port, Path data, String... options) throws IOException {
        this.port = port;
        List<String> all = new ArrayList<>(List.of("--port", Integer.toString(port), "--data", data.toString()));
        all.addAll(List.of(options));
        process = launch(all);
    }

    /** Runs the program with these arguments until it ends; for those it should refuse. */
    static ServerProcess refused(int port, Path data, String... options) throws IOException, InterruptedException {
        ServerProcess server = new ServerProcess(port, data, options);
        if (!server.process.waitFor(30, TimeUnit.SECONDS)) {
            server.process.destroyForcibly();
        }
        return server;
    }

    private static Process launch(List<String> arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin/java").toString(), "-Xmx256m",
                "--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow",
                "-cp", System.getProperty("java.class.path"), "lsmlab.server.Main"));
        command.addAll(arguments);
        return new ProcessBuilder(command).redirectErrorStream(true).start();
    }

    static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    String output() throws IOException {
        return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    }

    HttpResponse<String> send(String method, String path, BodyPublisher body) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path)).method(method, body)
                .timeout(Duration.ofSeconds(30)).build();
        return HTTP.send(request, BodyHandlers.ofString());
    }

    HttpResponse<String> get(String path) throws IOException, InterruptedException {
        return send("GET", path, BodyPublishers.noBody());
    }

    HttpResponse<String> put(String path, String body) throws IOException, InterruptedException {
        return send("PUT", path, BodyPublishers.ofString(body));
    }

    HttpResponse<String> delete(String path) throws IOException, InterruptedException {
        return send("DELETE", path, BodyPublishers.noBody());
    }

    /** Sends bytes as they are and returns all that comes back until the server closes. */
    String raw(String bytes) throws IOException, InterruptedException {
        return rawInPieces(bytes);
    }

    /** The same, each piece in a packet of its own. */
    String rawInPieces(String... pieces) throws IOException, InterruptedException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setTcpNoDelay(true);
            socket.setSoTimeout(10_000);
            for (String piece : pieces) {
                socket.getOutputStream().write(piece.getBytes(StandardCharsets.ISO_8859_1));
                TimeUnit.MILLISECONDS.sleep(50); // or the kernel may hand the server two pieces as one
            }
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
        }
    }

    /** SIGTERM; returns the exit status. */
    int terminate() throws InterruptedException {
        process.destroy();
        if (!process.waitFor(30, TimeUnit.SECONDS)) {
            throw new IllegalStateException("the server does not end");
        }
        return process.exitValue();
    }

    @Override
    public void close() {
        process.destroyForcibly();
        try {
            process.waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
