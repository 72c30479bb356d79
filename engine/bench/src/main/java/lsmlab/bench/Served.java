// SPDX-License-Identifier: Apache-2.0
package lsmlab.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A server that is measured, as a process; its data go when it is closed. */
final class Served implements AutoCloseable {
    private static final HttpClient HTTP = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final long LOOK_MILLIS = 250;
    private static final int QUIET_LOOKS = 10; // a merge that waits for flushes to pause begins within that time
    private static final long QUIET_CPU_MILLIS = 10;

    final String name;
    final int port;
    private final Path data; // null: it has none
    private final Process process;

    private Served(String name, int port, Path data, List<String> command) throws IOException, InterruptedException {
        this.name = name;
        this.port = port;
        this.data = data;
        process = new ProcessBuilder(command).redirectOutput(ProcessBuilder.Redirect.DISCARD).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        while (!answers()) {
            if (process.waitFor(20, TimeUnit.MILLISECONDS)) {
                throw new IOException(name + " did not start: " + String.join(" ", command));
            }
        }
    }

    /** The jar with these options, on a port of its own and an empty folder. */
    static Served lsm(String name, Path jar, Path folder, List<String> jvm, List<String> options) throws IOException, InterruptedException {
        return lsm(name, jar, folder, freePort(), jvm, options);
    }

    static Served lsm(String name, Path jar, Path folder, int port, List<String> jvm, List<String> options) throws IOException, InterruptedException {
        Path data = folder.resolve(name.replaceAll("\\W+", "-") + "-" + port);
        List<String> command = new ArrayList<>(List.of(ProcessHandle.current().info().command().orElse("java"), "-Xmx256m",
                "--sun-misc-unsafe-memory-access=allow", "--enable-native-access=ALL-UNNAMED", "-Djava.io.tmpdir=" + System.getProperty("java.io.tmpdir")));
        command.addAll(jvm);
        command.addAll(jvm.contains("-cp") ? List.of("lsmlab.server.Main") : List.of("-jar", jar.toString()));
        command.addAll(List.of("--port", Integer.toString(port), "--data", data.toString(), "--exit-with", Long.toString(ProcessHandle.current().pid())));
        command.addAll(options);
        return new Served(name, port, data, command);
    }

    /** Another program that serves on that port. */
    static Served other(String name, int port, List<String> command) throws IOException, InterruptedException {
        return new Served(name, port, null, command);
    }

    static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private boolean answers() throws InterruptedException {
        try {
            return get("/").length() >= 0;
        } catch (IOException e) {
            return false;
        }
    }

    String url() {
        return "http://127.0.0.1:" + port;
    }

    private String get(String path) throws IOException, InterruptedException {
        return HTTP.send(HttpRequest.newBuilder(URI.create(url() + path)).build(), BodyHandlers.ofString()).body();
    }

    JsonNode stats() throws IOException, InterruptedException {
        return JSON.readTree(get("/v0/stats"));
    }

    ProcessHandle process() {
        return process.toHandle();
    }

    private long cpuMillis() {
        return process.info().totalCpuDuration().orElseThrow(() -> new IllegalStateException(name + " has ended")).toMillis();
    }

    /** Returns when none of them does anything: what one still merges must not be measured as another's. */
    static void settle(List<Served> all) throws InterruptedException {
        long before = 0;
        for (int quiet = 0; quiet < QUIET_LOOKS;) {
            TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
            long now = all.stream().mapToLong(Served::cpuMillis).sum();
            quiet = now - before <= QUIET_CPU_MILLIS ? quiet + 1 : 0;
            before = now;
        }
    }

    @Override
    public void close() throws IOException {
        process.destroy();
        try {
            if (!process.waitFor(60, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
        if (data != null) {
            Child.delete(data);
        }
    }
}
