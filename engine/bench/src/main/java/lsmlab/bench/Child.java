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
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import lsmlab.storage.PageCache;

/** A {@link Worker} in a process of its own, with a folder that goes when it is closed. */
final class Child implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final ScheduledExecutorService TIMER = Executors.newSingleThreadScheduledExecutor(Thread.ofPlatform().daemon().factory());
    private static final long MOST_MINUTES = 20; // for a command or an end: RocksDB took 69 to merge in too little memory

    final Kind kind;
    private final Path folder;
    private final long records;
    private final int valueBytes;
    private long filled; // records that the store holds
    private Process process;
    private PrintStream commands;
    private BufferedReader answers;

    /** Begins with an empty folder. */
    Child(Kind kind, Path folder, long records, int valueBytes) throws IOException {
        this.kind = kind;
        this.folder = folder;
        this.records = records;
        this.valueBytes = valueBytes;
        empty();
        start(null);
    }

    private void start(MemoryLimit limit) throws IOException {
        List<String> command = List.of(ProcessHandle.current().info().command().orElse("java"), "-Xmx" + kind.heap,
                "--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow",
                "--add-opens=java.base/java.nio=ALL-UNNAMED", "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
                "-Djava.io.tmpdir=" + System.getProperty("java.io.tmpdir"),
                "-cp", System.getProperty("java.class.path"), Worker.class.getName(),
                kind.name(), folder.toString(), Long.toString(records), Integer.toString(valueBytes), Long.toString(filled));
        ProcessBuilder builder = new ProcessBuilder(limit == null ? command : limit.around(command)).redirectError(ProcessBuilder.Redirect.INHERIT);
        if (limit != null) { // WHY one arena: with one a thread, RocksDB's memory outgrew its caches by hundreds of megabytes
            builder.environment().put("MALLOC_ARENA_MAX", "1");
        }
        process = builder.start();
        commands = new PrintStream(process.getOutputStream(), true);
        answers = process.inputReader();
    }

    boolean hasFailed() {
        return !process.isAlive();
    }

    /** @throws IOException if it ended, or was ended because it took longer than {@link #MOST_MINUTES} */
    JsonNode ask(String command) throws IOException {
        Future<?> end = TIMER.schedule(process::destroyForcibly, MOST_MINUTES, TimeUnit.MINUTES);
        try {
            commands.println(command);
            for (String line = answers.readLine(); line != null; line = answers.readLine()) {
                if (line.startsWith("{")) {
                    JsonNode answer = JSON.readTree(line);
                    filled = answer.has("userBytes") ? answer.get("userBytes").asLong() / (Data.KEY_BYTES + valueBytes) : filled;
                    return answer;
                }
                System.err.println(kind.title + ": " + line);
            }
            String why = end.isDone() ? "had no answer within " + MOST_MINUTES + " minutes to" : "ended during";
            await(process.destroyForcibly()); // or it would not have failed yet when it is asked next
            throw new IOException("%s %s '%s'; what it wrote stands above".formatted(kind.title, why, command));
        } finally {
            end.cancel(false);
        }
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
        await(new ProcessBuilder("sync").start());
    }

    /** The same store in another process, which closes it and lets go of the pages of its files. @param limit null: none */
    void again(MemoryLimit limit) throws IOException {
        end();
        dropPages();
        start(limit);
    }

    /** REQUIRES: the store is not open. */
    void dropPages() throws IOException {
        settleDisk();
        try (var files = Files.walk(folder)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                if (!PageCache.dropFile(file)) {
                    throw new IOException("this system does not drop pages of " + file);
                }
            }
        }
    }

    private void end() {
        commands.close();
        await(process);
    }

    private static void await(Process process) {
        try {
            if (!process.waitFor(MOST_MINUTES, TimeUnit.MINUTES)) {
                process.destroyForcibly().waitFor();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() throws IOException {
        end();
        delete(folder);
    }
}
