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
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A process of Cassandra, and its folder. A shell guards it: it does not outlive this JVM, however that ends. */
final class NodeProcess {
    private static final int CONNECT_MILLIS = 500;
    private static final long STOP_SECONDS = 10;

    private final int number;
    private final Layout layout;
    private final Path folder;
    private final List<String> command;
    private Process guard;
    private long pid;

    /** Writes the node's configuration. */
    NodeProcess(int number, Layout layout, Path folder, Installation installation) throws IOException {
        this.number = number;
        this.layout = layout;
        this.folder = folder.toAbsolutePath();
        Files.createDirectories(folder.resolve("tmp"));
        String yaml = text("cassandra.yaml");
        Map<String, Object> values = Map.of("token", layout.token(number), "seeds", layout.seeds(), "address", layout.address(number), "storagePort", layout.storage(number).getPort(),
                "nativePort", layout.cql(number).getPort());
        for (Map.Entry<String, Object> value : values.entrySet()) {
            yaml = yaml.replace("{" + value.getKey() + "}", value.getValue().toString());
        }
        Files.writeString(folder.resolve("cassandra.yaml"), yaml);
        for (String file : List.of("logback.xml", "jvm.options", "guard.sh")) {
            Files.writeString(folder.resolve(file), text(file));
        }
        command = command(installation);
    }

    private List<String> command(Installation installation) {
        List<String> words = new ArrayList<>(List.of("sh", folder.resolve("guard.sh").toString(), log().toString(), installation.java().toString(), "@" + folder.resolve("jvm.options")));
        words.addAll(installation.options());
        words.addAll(List.of("-Dcassandra.config=" + folder.resolve("cassandra.yaml").toUri(), "-Dcassandra.storagedir=" + folder.resolve("data"),
                "-Dlogback.configurationFile=" + folder.resolve("logback.xml"), "-Dcassandra.jmx.local.port=" + layout.jmx(number), "-Djava.io.tmpdir=" + folder.resolve("tmp"),
                "-cp", installation.libraries() + File.separator + "*", "org.apache.cassandra.service.CassandraDaemon"));
        return words;
    }

    private static String text(String name) throws IOException {
        try (InputStream in = NodeProcess.class.getResourceAsStream(name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    void start() throws IOException {
        guard = new ProcessBuilder(command).directory(folder.toFile()).redirectError(ProcessBuilder.Redirect.DISCARD).start();
        BufferedReader first = guard.inputReader();
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

    /** Asks it to stop; the guard kills it if it does not. */
    void stop() {
        if (guard != null) {
            try {
                guard.getOutputStream().close();
            } catch (IOException e) {
                // the guard has ended
            }
        }
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
