// SPDX-License-Identifier: Apache-2.0
package lsmlab.server;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
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
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The server jar as a process of its own. */
final class ServerProcess implements AutoCloseable {
    static final boolean ALL_TESTS = "1".equals(System.getenv("LSM_LAB_ALL_TESTS"));
    /** Most servers of the tests live for seconds; with scripts/test --all they have the compiler that users have. */
    private static final List<String> COMPILER = ALL_TESTS ? List.of() : List.of("-XX:TieredStopAtLevel=1");
    private static final HttpClient HTTP = HttpClient.newHttpClient(); // as the course's tests: with an upgrade header in each request
    private static final Duration SEND_LIMIT = Duration.ofSeconds(30);
    private static final int PORTS = 4_096; // of each of the processes that run tests at the same time
    private static final int FIRST_PORT = 16_384 + (Integer.getInteger("lsm.fork", 1) - 1) % 4 * PORTS; // below the first ephemeral port: ip(7), ip_local_port_range
    private static final AtomicInteger NEXT_PORT = new AtomicInteger(ThreadLocalRandom.current().nextInt(PORTS));
    private static final long AWAIT_NANOS = TimeUnit.SECONDS.toNanos(120);

    /** The last answer to a client that was refused: one line of text ends it. */
    private static final Pattern REFUSAL = Pattern.compile("HTTP/1\\.1 [45]\\d\\d [^\r]+\r\n(?:[^\r]+\r\n)*Connection: close\r\n\r\n[^\n]*\n$");

    final int port;
    final Process process;

    ServerProcess(Path data, String... options) throws IOException, InterruptedException {
        this(freePort(), "256m", List.of(), data, options);
    }

    /** One that runs already, and that somebody else ends. */
    ServerProcess(int port) {
        this.port = port;
        process = null;
    }

    /** @param before words of a command that runs the rest of its words as a command */
    ServerProcess(int port, String heap, List<String> before, Path data, String... options) throws IOException, InterruptedException {
        this.port = port;
        process = launch(port, heap, before, data, options);
        String banner = process.inputReader().readLine();
        while (banner != null && !banner.contains(":" + port + " serves ")) {
            System.err.println(banner);
            banner = process.inputReader().readLine();
        }
        if (banner == null) {
            throw new IllegalStateException("the server did not start");
        }
    }

    private ServerProcess(int port, Path data, String... options) throws IOException {
        this.port = port;
        process = launch(port, "256m", List.of(), data, options);
    }

    /** Starts the program and does not wait until it serves. */
    static ServerProcess launched(Path data) throws IOException {
        return new ServerProcess(freePort(), data);
    }

    /** Runs the program with these arguments until it ends; for those it should refuse. */
    static ServerProcess refused(int port, Path data, String... options) throws IOException, InterruptedException {
        ServerProcess server = new ServerProcess(port, data, options);
        if (!server.process.waitFor(30, TimeUnit.SECONDS)) {
            server.process.destroyForcibly();
        }
        return server;
    }

    private static Process launch(int port, String heap, List<String> before, Path data, String... options) throws IOException {
        List<String> command = new ArrayList<>(before);
        command.add(Path.of(System.getProperty("java.home"), "bin/java").toString());
        command.addAll(COMPILER);
        command.addAll(List.of("-Xmx" + heap, "--sun-misc-unsafe-memory-access=allow", "-jar", System.getProperty("lsm.server.jar"),
                "--port", Integer.toString(port), "--data", data.toString()));
        command.addAll(List.of(options));
        return new ProcessBuilder(command).redirectErrorStream(true).start();
    }

    /** WHY not one that the system chooses: it may give that to the next outgoing connection of any process, before the server has it. */
    static int freePort() {
        while (true) {
            int port = FIRST_PORT + NEXT_PORT.getAndIncrement() % PORTS;
            try (ServerSocket socket = new ServerSocket(port)) {
                return socket.getLocalPort();
            } catch (IOException e) {
                // another process has it
            }
        }
    }

    /** What it has said and not been read, until its end. */
    String output() {
        return process.inputReader().lines().collect(Collectors.joining("\n")).strip();
    }

    HttpResponse<String> send(String method, String path, BodyPublisher body) throws IOException, InterruptedException {
        return HTTP.send(request(path).method(method, body).build(), BodyHandlers.ofString());
    }

    HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path)).timeout(SEND_LIMIT);
    }

    static HttpClient http() {
        return HTTP;
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

    JsonNode stats() throws IOException, InterruptedException {
        return new ObjectMapper().readTree(get("/v0/stats").body());
    }

    /** The number at that place of the stats; 0 if there is nothing. */
    long stat(String pointer) throws IOException, InterruptedException {
        return stats().at(pointer).asLong();
    }

    Socket connect() throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(20_000);
        return socket;
    }

    /** Sends bytes as they are and returns all that comes back until the server closes. */
    String raw(String bytes) throws IOException, InterruptedException {
        return rawInPieces(bytes);
    }

    /** The same, each piece in a packet of its own. */
    String rawInPieces(String... pieces) throws IOException, InterruptedException {
        try (Socket socket = connect()) {
            for (String piece : pieces) {
                socket.getOutputStream().write(piece.getBytes(StandardCharsets.ISO_8859_1));
                if (pieces.length > 1) {
                    TimeUnit.MILLISECONDS.sleep(20); // or the kernel may hand the server two pieces as one
                }
            }
            return withoutDates(readToTheLast(socket.getInputStream()));
        }
    }

    /** Until the server closes, or has said that it will and has sent all of its last answer: it may wait a little for a client that it has refused. */
    private static String readToTheLast(InputStream in) throws IOException {
        StringBuilder all = new StringBuilder();
        byte[] buffer = new byte[64 << 10];
        do {
            int count = in.read(buffer);
            if (count < 0) {
                break;
            }
            all.append(new String(buffer, 0, count, StandardCharsets.ISO_8859_1));
        } while (!REFUSAL.matcher(all).find());
        return all.toString();
    }

    /** Answers as a test expects them: their date is another each time. */
    static String withoutDates(String answers) {
        return answers.replaceAll("\r\nDate: \\w{3}, \\d\\d \\w{3} \\d{4} \\d\\d:\\d\\d:\\d\\d GMT", "");
    }

    /** What may come to hold. */
    interface Condition {
        boolean holds() throws Exception;
    }

    /** Looks until it holds; fails if it does not come to hold. */
    static void await(String what, Condition condition) throws Exception {
        long deadline = System.nanoTime() + AWAIT_NANOS;
        while (!condition.holds()) {
            if (System.nanoTime() > deadline) {
                throw new AssertionError("it did not come to be: " + what);
            }
            TimeUnit.MILLISECONDS.sleep(10);
        }
    }

    /** Returns when the process stands still, which takes a moment after the signal. */
    void pause() throws Exception {
        signal("STOP");
        String pid = Long.toString(process.pid());
        await("the process is stopped", () -> new ProcessBuilder("ps", "-o", "state=", "-p", pid).start().inputReader().readLine().startsWith("T"));
    }

    void resume() throws IOException, InterruptedException {
        signal("CONT");
    }

    private void signal(String name) throws IOException, InterruptedException {
        int status = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start().waitFor();
        if (status != 0) {
            throw new IllegalStateException("kill -" + name + " ended with " + status);
        }
    }

    /** SIGTERM; returns the exit status. */
    int terminate() throws InterruptedException {
        process.toHandle().destroy(); // the process' own method would close what it said
        if (!process.waitFor(30, TimeUnit.SECONDS)) {
            throw new IllegalStateException("the server does not end");
        }
        return process.exitValue();
    }

    /** SIGKILL. */
    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    @Override
    public void close() {
        if (process == null) {
            return;
        }
        process.destroyForcibly();
        try {
            process.waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
