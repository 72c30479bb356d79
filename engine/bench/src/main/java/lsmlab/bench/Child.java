// SPDX-License-Identifier: Apache-2.0
package lsmlab.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;

/** A {@link Worker} in a process of its own, with a folder that goes when it is closed. */
final class Child implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();

    final Kind kind;
    private final Path folder;
    private final Process process;
    private final PrintStream commands;
    private final BufferedReader answers;

    Child(Kind kind, Path folder, long records, int valueBytes) throws IOException {
        this.kind = kind;
        this.folder = folder;
        empty();
        process = new ProcessBuilder(List.of(ProcessHandle.current().info().command().orElse("java"), "-Xmx" + kind.heap,
                "--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow",
                "--add-opens=java.base/java.nio=ALL-UNNAMED", "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
                "-Djava.io.tmpdir=" + System.getProperty("java.io.tmpdir"),
                "-cp", System.getProperty("java.class.path"), Worker.class.getName(),
                kind.name(), folder.toString(), Long.toString(records), Integer.toString(valueBytes)))
                .redirectError(ProcessBuilder.Redirect.INHERIT).start();
        commands = new PrintStream(process.getOutputStream(), true);
        answers = process.inputReader();
    }

    boolean hasFailed() {
        return !process.isAlive();
    }

    JsonNode ask(String command) throws IOException {
        commands.println(command);
        for (String line = answers.readLine(); line != null; line = answers.readLine()) {
            if (line.startsWith("{")) {
                return JSON.readTree(line);
            }
            System.err.println(kind.title + ": " + line);
        }
        process.destroyForcibly();
        throw new IOException(kind.title + " ended during '" + command + "'; what it wrote stands above");
    }

    /** Begins with an empty folder again. REQUIRES: the store is not open. */
    void empty() throws IOException {
        delete(folder);
        Files.createDirectories(folder);
    }

    static void delete(Path folder) throws IOException {
        if (Files.isDirectory(folder)) {
            try (var files = Files.walk(folder)) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(file);
                }
            }
        }
    }

    /** Waits until nothing that other stores wrote is on its way to the disk. */
    static void settleDisk() throws IOException {
        try {
            new ProcessBuilder("sync").start().waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() throws IOException {
        commands.close();
        try {
            process.waitFor();
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
        delete(folder);
    }
}
