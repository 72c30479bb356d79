// SPDX-License-Identifier: Apache-2.0
package lsmlab.cassandra.nodes;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A process of Cassandra, and its folder. A shell guards it: it does not outlive this JVM, however that ends. */
final class NodeProcess {
    private static final int CONNECT_MILLIS = 500;
    private static final long STOP_SECONDS = 10;
    /** How long a node that joins waits until all others know it. */
    private static final int RING_DELAY_MILLIS = 5_000;

    private final int number;
    private final Layout layout;
    private final Path folder;
    private final Installation installation;
    private final Jmx jmx;
    private final Counters counters;
    private volatile Process guard;
    private volatile long pid;

    /** Writes the node's configuration. */
    NodeProcess(int number, Layout layout, Path folder, Installation installation) throws IOException {
        this.number = number;
        this.layout = layout;
        this.folder = folder.toAbsolutePath();
        this.installation = installation;
        jmx = new Jmx(layout.jmx(number));
        counters = new Counters(jmx);
        Files.createDirectories(folder.resolve("tmp"));
        String yaml = text("cassandra.yaml");
        List<String> tokens = layout.tokens(number);
        Map<String, Object> values = Map.of("count", tokens.size(), "tokens", String.join(",", tokens), "joins", layout.joins(number), "seeds", layout.seeds(),
                "address", layout.address(number), "storagePort", layout.storage(number).getPort(), "nativePort", layout.cql(number).getPort());
        for (Map.Entry<String, Object> value : values.entrySet()) {
            yaml = yaml.replace("{" + value.getKey() + "}", value.getValue().toString());
        }
        Files.writeString(folder.resolve("cassandra.yaml"), yaml);
        for (String file : List.of("logback.xml", "jvm.options", "guard.sh")) {
            Files.writeString(folder.resolve(file), text(file));
        }
    }

    /** The node's own, under its guard. */
    private List<String> command() {
        List<String> words = new ArrayList<>(List.of("sh", folder.resolve("guard.sh").toString(), log().toString()));
        words.addAll(java());
        words.addAll(installation.options());
        words.addAll(List.of("-Dcassandra.config=" + folder.resolve("cassandra.yaml").toUri(), "-Dcassandra.storagedir=" + folder.resolve("data"),
                "-Dlogback.configurationFile=" + folder.resolve("logback.xml"), "-Dcassandra.jmx.local.port=" + layout.jmx(number), "-Djava.io.tmpdir=" + folder.resolve("tmp")));
        if (layout.joins(number)) {
            words.add("-Dcassandra.ring_delay_ms=" + RING_DELAY_MILLIS);
        }
        words.add("org.apache.cassandra.service.CassandraDaemon");
        return words;
    }

    private List<String> java() {
        return List.of(installation.java().toString(), "@" + folder.resolve("jvm.options"), "-cp", installation.libraries() + File.separator + "*");
    }

    private static String text(String name) throws IOException {
        try (InputStream in = NodeProcess.class.getResourceAsStream(name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    void start() throws IOException {
        counters.nodeBegins();
        Process begun = new ProcessBuilder(command()).directory(folder.toFile()).redirectError(ProcessBuilder.Redirect.DISCARD).start();
        guard = begun;
        BufferedReader first = begun.inputReader();
        String printed = first.readLine();
        if (printed == null) {
            throw new IOException("node %d could not be started: sh printed nothing".formatted(number));
        }
        pid = Long.parseLong(printed);
    }

    /** Whether clients can connect. */
    boolean answers() {
        try (Socket socket = new Socket()) {
            socket.connect(layout.cql(number), CONNECT_MILLIS);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    boolean isAlive() {
        return guard != null && guard.isAlive();
    }

    /** Of the Java process. */
    long pid() {
        return pid;
    }

    Path log() {
        return folder.resolve("node.log");
    }

    /** What Cassandra's nodetool prints; ends with {@link IOException} if it fails. */
    String nodetool(List<String> words) throws IOException {
        List<String> command = new ArrayList<>(java());
        command.addAll(
                List.of("-Duser.home=" + folder, "-Dlogback.configurationFile=" + folder.resolve("logback.xml"), "org.apache.cassandra.tools.NodeTool", "-p", Integer.toString(layout.jmx(number))));
        command.addAll(words);
        Process tool = new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true).start();
        try (BufferedReader out = tool.inputReader()) {
            String said = String.join("\n", out.readAllLines()).strip();
            if (tool.waitFor() != 0) {
                throw new IOException("nodetool %s: %s".formatted(String.join(" ", words), said));
            }
            return said;
        } catch (InterruptedException e) {
            tool.destroyForcibly();
            Thread.currentThread().interrupt();
            throw new IOException("nodetool was interrupted", e);
        }
    }

    Jmx jmx() {
        return jmx;
    }

    /** What it counted, and the processor time that it took, since its first start. */
    Map<String, Long> counts() {
        ProcessHandle process = ProcessHandle.of(pid).filter(it -> isAlive() && it.isAlive()).orElse(null);
        return counters.now(process == null ? null : process.info().totalCpuDuration().orElse(Duration.ZERO));
    }

    /** What {@code /v0/stats} shows. */
    Map<String, Object> stats() {
        Map<String, Object> node = new LinkedHashMap<>();
        node.put("cql", layout.address(number) + ":" + layout.cql(number).getPort());
        node.put("jmxPort", layout.jmx(number));
        node.put("pid", pid);
        node.put("alive", isAlive());
        node.put("counts", counts());
        return node;
    }

    /** Ends it as kill -9 does; its data stays. */
    void kill() throws IOException {
        ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
        awaitEnd();
    }

    /** Asks it to stop; the guard kills it if it does not. */
    void stop() {
        if (guard != null) {
            try {
                guard.getOutputStream().close();
            } catch (IOException e) {
                // the guard has ended
            }
        }
        jmx.close();
    }

    void awaitEnd() {
        try {
            if (guard != null && !guard.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
                guard.descendants().forEach(ProcessHandle::destroyForcibly);
                guard.destroyForcibly();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
