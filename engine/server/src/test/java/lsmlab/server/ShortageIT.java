// SPDX-License-Identifier: Apache-2.0
package lsmlab.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.spi.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Heap and threads run out, and come back. */
class ShortageIT extends Exhaustion {
    private static final List<String> AS_ANOTHER = List.of("setpriv", "--reuid=54321", "--clear-groups");

    /** Takes a body of 9,000 bytes, and stays with its connection. */
    private static final long BUFFER_BYTES = 16 << 10;

    /** Something else in the process takes all of the heap while a file is there. */
    private Path hoarder(Path wanted) throws IOException {
        ExtensionIT.compile(data, """
                public class Mine {
                    static final List<byte[]> HOARD = new ArrayList<>();
                    static int full;
                    public static void premain(String wanted) {
                        Thread.ofPlatform().daemon().start(() -> hoard(new java.io.File(wanted), new java.io.File(wanted + ".cleared")));
                    }
                    static void hoard(java.io.File wanted, java.io.File cleared) {
                        while (true) {
                            try {
                                if (wanted.exists()) {
                                    HOARD.add(new byte[16 << 10]);
                                } else {
                                    HOARD.clear();
                                    cleared.createNewFile();
                                    Thread.sleep(1);
                                }
                            } catch (OutOfMemoryError | InterruptedException | java.io.IOException e) {
                                if (++full == 20) {
                                    full = 0;
                                    HOARD.removeLast(); // or it could not even look for the file
                                }
                            }
                        }
                    }
                }""");
        Path manifest = Files.writeString(data.resolve("manifest"), "Premain-Class: student.Mine\n");
        Path jar = data.resolve("hoarder.jar");
        assertEquals(0, ToolProvider.findFirst("jar").orElseThrow().run(System.out, System.err,
                "--create", "--file", jar.toString(), "--manifest", manifest.toString(), "-C", data.toString(), "student"));
        return jar;
    }

    @Test
    void whenTheHeapRanOutWritesComeBackWithoutARestart() throws Exception {
        Path wanted = data.resolve("wanted");
        Path cleared = data.resolve("wanted.cleared");
        List<String> hoarding = List.of("env", "JAVA_TOOL_OPTIONS=-javaagent:%s=%s".formatted(hoarder(wanted), wanted));
        try (ServerProcess server = new ServerProcess(ServerProcess.freePort(), "64m", hoarding, data.resolve("store"), "--flush-threshold", "64KB", "--workers", "pool")) {
            fill(server, 0, 60);
            for (int round = 0; round < 3; round++) {
                Files.createFile(wanted);
                Files.deleteIfExists(cleared);
                int written = 0;
                for (int i = 0; i < 12; i++) {
                    try {
                        written += put(server, "hoard" + i) == 201 ? 1 : 0;
                    } catch (IOException e) {
                        // no memory for that connection
                    }
                }
                Files.delete(wanted);
                ServerProcess.await("the heap has room", () -> Files.exists(cleared));
                awaitWrites(server, "heap (%d of 12 writes went through without)".formatted(written));
            }
            ServerProcess.await("flushes go on", () -> server.stats().at("/engine/trouble").isNull());
            fill(server, 20, 60);
            assertTrue(server.stats().at("/engine/trouble").isNull());
            JsonNode http = server.stats().get("http");
            assertTrue(http.get("bodyBytes").asLong() <= BUFFER_BYTES * http.get("connections").asLong(), "connections that are gone hold nothing: " + http);
            assertEquals(200, server.get("/v0/entity?id=key0").statusCode());
            assertEquals(0, server.terminate());
        }
    }

    /** Uses a limit of another user, because root has none. */
    @ParameterizedTest
    @ValueSource(strings = {"sync", "pool", "virtual"})
    void whenThreadsRanOutWritesComeBackWithoutARestart(String workers) throws Exception {
        List<String> look = new ArrayList<>(AS_ANOTHER);
        look.addAll(List.of("test", "-r", System.getProperty("lsm.server.jar"), "-a", "-x", System.getProperty("java.io.tmpdir")));
        assumeTrue("root".equals(System.getProperty("user.name")) && new ProcessBuilder(look).start().waitFor() == 0, "needs root, and folders that others can read");
        Files.setPosixFilePermissions(data, PosixFilePermissions.fromString("rwxrwxrwx"));
        try (ServerProcess server = new ServerProcess(ServerProcess.freePort(), "128m", AS_ANOTHER, data.resolve("store"), "--workers", workers, "--flush-threshold", "64KB")) {
            for (int round = 0; round < 3; round++) {
                limitThreads(server, "1");
                for (int i = 0; i < 30; i++) {
                    try {
                        put(server, "few" + i);
                    } catch (IOException e) {
                        // no thread for that
                    }
                }
                limitThreads(server, "1000");
                awaitWrites(server, "threads, workers " + workers);
            }
            fill(server, 0, 60);
            assertTrue(server.stat("/engine/flushes") > 3);
            assertTrue(server.stats().at("/engine/trouble").isNull());
            assertEquals(0, server.terminate());
        }
    }

    private static void limitThreads(ServerProcess server, String count) throws Exception {
        List<String> command = new ArrayList<>(AS_ANOTHER);
        command.addAll(List.of("prlimit", "--pid", Long.toString(server.process.pid()), "--nproc=" + count + ":"));
        assertEquals(0, new ProcessBuilder(command).inheritIO().start().waitFor());
    }
}
