// SPDX-License-Identifier: Apache-2.0
package lsmlab.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Start, stop and what is refused, as processes. */
class LifecycleIT {
    @TempDir
    Path folder;

    @Test
    void termFlushesAndExitsWithZero() throws Exception {
        Path data = folder.resolve("made/on/start");
        try (ServerProcess server = new ServerProcess(data)) {
            server.put("/v0/entity?id=kept", "value");
            assertEquals(0, server.terminate());
        }
        try (ServerProcess server = new ServerProcess(data)) {
            assertEquals("value", server.get("/v0/entity?id=kept").body());
        }
    }

    /** A client may end the server as soon as it has an answer. */
    @Test
    void termRightAfterTheFirstAnswerExitsWithZero() throws Exception {
        for (int i = 0; i < (ServerProcess.ALL_TESTS ? 100 : 8); i++) {
            try (ServerProcess server = ServerProcess.launched(folder)) {
                ServerProcess.await("it answers", () -> {
                    try {
                        return server.raw("GET /v0/status HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").startsWith("HTTP/1.1 200 ");
                    } catch (IOException e) {
                        return false; // the port is not open yet
                    }
                });
                assertEquals(0, server.terminate(), "try " + i);
            }
        }
    }

    @Test
    void everyAnsweredPutSurvivesTerm() throws Exception {
        AtomicInteger answered = new AtomicInteger();
        try (ServerProcess server = new ServerProcess(folder, "--flush-threshold", "64KB")) {
            Thread writer = Thread.ofPlatform().start(() -> {
                try {
                    while (server.put("/v0/entity?id=key" + answered.get(), "value").statusCode() == 201) {
                        answered.incrementAndGet();
                    }
                } catch (IOException | InterruptedException e) {
                    // the server went away
                }
            });
            while (answered.get() < 300) {
                Thread.onSpinWait();
            }
            assertEquals(0, server.terminate());
            writer.join();
        }
        try (ServerProcess server = new ServerProcess(folder)) {
            for (int i = 0; i < answered.get(); i++) {
                assertEquals(200, server.get("/v0/entity?id=key" + i).statusCode(), "key" + i);
            }
        }
    }

    @Test
    void everyAnsweredPutSurvivesKill9() throws Exception {
        try (ServerProcess server = new ServerProcess(folder, "--wal", "os")) {
            for (int i = 0; i < 100; i++) {
                assertEquals(201, server.put("/v0/entity?id=key" + i, "value").statusCode());
            }
            server.kill();
        }
        try (ServerProcess server = new ServerProcess(folder)) {
            for (int i = 0; i < 100; i++) {
                assertEquals(200, server.get("/v0/entity?id=key" + i).statusCode(), "key" + i);
            }
        }
    }

    @Test
    void aFolderThatCannotBeWritten() throws Exception {
        ServerProcess server = ServerProcess.refused(ServerProcess.freePort(), Path.of("/proc/lsm"));
        String output = server.output();
        assertTrue(output.startsWith("lsm-server: data directory /proc/lsm can't be made: "), output);
        assertEquals(1, server.process.exitValue());
    }

    @Test
    void aFolderThatWasRemovedIsMadeAnew() throws Exception {
        Path data = folder.resolve("data");
        try (ServerProcess server = new ServerProcess(data)) {
            server.put("/v0/entity?id=a", "x");
            server.terminate();
        }
        try (var files = Files.list(data)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
        }
        Files.delete(data);
        try (ServerProcess server = new ServerProcess(data)) {
            assertEquals(404, server.get("/v0/entity?id=a").statusCode());
        }
    }

    @Test
    void aPortOrAFolderInUseIsOneLine() throws Exception {
        try (ServerProcess first = new ServerProcess(folder.resolve("first"))) {
            ServerProcess samePort = ServerProcess.refused(first.port, folder.resolve("second"));
            assertEquals("lsm-server: port " + first.port + " on 127.0.0.1 is in use, choose another with --port", samePort.output());
            assertEquals(1, samePort.process.exitValue());
            ServerProcess sameFolder = ServerProcess.refused(ServerProcess.freePort(), folder.resolve("first"));
            assertEquals("lsm-server: data directory " + folder.resolve("first") + " is in use by another engine", sameFolder.output());
            assertEquals(1, sameFolder.process.exitValue());
        }
    }

    @Test
    void aFileInPlaceOfTheFolder() throws Exception {
        Path file = Files.writeString(folder.resolve("file"), "mine");
        ServerProcess server = ServerProcess.refused(ServerProcess.freePort(), file);
        assertEquals("lsm-server: data directory " + file + " is a file", server.output());
        assertEquals(1, server.process.exitValue());
    }

    @Test
    void aDamagedTableIsNamed() throws Exception {
        Path table = Files.writeString(Files.createDirectories(folder.resolve("data")).resolve("0000000001.table"), "no table");
        ServerProcess server = ServerProcess.refused(ServerProcess.freePort(), folder.resolve("data"));
        assertEquals("lsm-server: " + table + " is 8 bytes long, too short for its kind (at byte 0)", server.output());
        assertEquals(1, server.process.exitValue());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', value = {
        "--flush-threshold=lots | 'lots' is not a size",
        "--flush-threshold=0 | flush threshold is 0, it must be at least 1",
        "--pruning=magic | 'magic' is none of bloom, map, range, range-from-file, none",
        "--search=linear | 'linear' is none of block-index, binary",
        "--device=seek=8 | is not a device like",
        "--device=seek=8,rate=100MB,cache=1MB | is not a device like",
        "--device=seek=8ms,rate=0,cache=1MB | is not a device like",
        "--selectors=-1 | must be 0 to 1024",
        "--max-body=1GB | it must be less than 64MB",
        "--workers=many | 'many' is none of sync, pool, virtual",
        "--queue=heap | 'heap' is none of array, linked, lifo, synchronous",
        "--queue-capacity=0 | must be 1 to",
        "--trace-requests=-1 | must be 0 to",
        "--trace-frames=frames | --trace-frames needs --trace-requests",
        "--worker-threads=-1 | must be 0 to",
        "--idle-timeout=soon | 'soon' is not a time like 500ms, 2s or 1m",
        "--cluster=localhost:1 | --cluster has 'localhost:1', which is no http://HOST:PORT",
        "--cluster=http://localhost:1,http://localhost:2 | of the nodes in --cluster 0 have this node's port",
        "--self=http://localhost:1 | --self is of use with --cluster only",
        "--sharding=random | 'random' is none of rendezvous, modulo, ring",
        "--proxy=curl | 'curl' is none of pipelined, jdk, jdk-locked, one-nio",
        "--host=no.such.host.invalid | is not an address",
        "--nonsense | Unknown option"})
    void badFlagsAreExplained(String flag, String expected) throws Exception {
        ServerProcess server = ServerProcess.refused(ServerProcess.freePort(), folder.resolve("data"), flag);
        String output = server.output();
        assertTrue(output.contains(expected), output);
        assertEquals(2, server.process.exitValue());
    }

    @ParameterizedTest
    @CsvSource({"one-nio", "jdk-locked"})
    void clientsThatWaitAreRefusedOnSelectors(String proxy) throws Exception {
        int port = ServerProcess.freePort();
        ServerProcess server = ServerProcess.refused(port, folder, "--cluster", "http://localhost:" + port, "--proxy", proxy);
        String output = server.output();
        assertTrue(output.contains("--proxy " + proxy + " waits for other nodes, which a selector must not"), output);
        assertEquals(2, server.process.exitValue());
    }

    @Test
    void optionsOfANodeAloneAreRefusedInACluster() throws Exception {
        int port = ServerProcess.freePort();
        for (String option : List.of("--store=constant", "--eager-log")) {
            ServerProcess server = ServerProcess.refused(port, folder, "--cluster", "http://localhost:" + port, option);
            String output = server.output();
            assertTrue(output.contains(" is for a node alone"), output);
            assertEquals(2, server.process.exitValue());
        }
    }

    @Test
    void aStoreOfASingleNodeIsNotTakenForOneOfACluster() throws Exception {
        int port = ServerProcess.freePort();
        try (ServerProcess server = new ServerProcess(folder)) {
            server.put("/v0/entity?id=a", "without a version");
            server.terminate();
        }
        ServerProcess asNode = ServerProcess.refused(port, folder, "--cluster", "http://localhost:" + port);
        assertEquals("lsm-server: %s holds values without versions: a node of a cluster starts with an empty folder".formatted(folder), asNode.output());
        assertEquals(1, asNode.process.exitValue());
        Path other = folder.resolve("node");
        try (ServerProcess server = new ServerProcess(port, "256m", List.of(), other, "--cluster", "http://localhost:" + port)) {
            server.put("/v0/entity?id=a", "with a version");
            server.terminate();
        }
        ServerProcess alone = ServerProcess.refused(port, other);
        assertEquals("lsm-server: %s holds values with versions: it belongs to a cluster, start it with --cluster".formatted(other), alone.output());
    }

    @Test
    void otherAddressesThanLoopbackAreWarnedOf() throws Exception {
        try (ServerProcess open = new ServerProcess(ServerProcess.freePort(), "256m", List.of("sh", "-c", "exec \"$@\" --host 0.0.0.0 2> \"$0\"",
                folder.resolve("warning").toString()), folder.resolve("data"))) {
            assertEquals(200, open.get("/v0/status").statusCode());
        }
        assertEquals("lsm-server: listening on 0.0.0.0: anybody who reaches it can read and change the store, there is no authentication\n",
                Files.readString(folder.resolve("warning")));
    }

    /** The JVM looks at another process through a file, which it can't open then. */
    @Test
    void goesOnWithTheProcessItFollowsWhenThereAreNoDescriptors() throws Exception {
        assumeTrue(Files.isDirectory(Path.of("/proc")), "needs Linux");
        try (ServerProcess server = new ServerProcess(folder, "--exit-with", Long.toString(ProcessHandle.current().pid()))) {
            limitDescriptors(server, "3");
            assertFalse(server.process.waitFor(12, TimeUnit.SECONDS), "the JVM looks every five seconds at most");
            limitDescriptors(server, "1000");
            ServerProcess.await("it serves", () -> server.get("/v0/status").statusCode() == 200);
        }
    }

    private static void limitDescriptors(ServerProcess server, String count) throws Exception {
        assertEquals(0, new ProcessBuilder("prlimit", "--pid", Long.toString(server.process.pid()), "--nofile=" + count + ":").inheritIO().start().waitFor());
    }

    @Test
    void endsWithTheProcessItWasToldToFollow() throws Exception {
        Process parent = new ProcessBuilder("sleep", "600").start();
        try (ServerProcess server = new ServerProcess(folder, "--exit-with", Long.toString(parent.pid()))) {
            assertEquals(200, server.get("/v0/status").statusCode());
            parent.destroyForcibly();
            assertTrue(server.process.waitFor(120, TimeUnit.SECONDS));
        } finally {
            parent.destroyForcibly();
        }
    }
}
