// SPDX-License-Identifier: Apache-2.0
package lsmlab.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.tools.ToolProvider;
import lsmlab.server.extension.Watch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Classes from outside in a server: what they take the place of, and what happens when they fail. */
class ExtensionIT {
    @TempDir
    Path folder;

    private ServerProcess start(String source, String... options) throws Exception {
        compile(folder, source);
        return new ServerProcess(folder.resolve("data"), all(options));
    }

    /** Makes the class {@code student.Mine}. */
    static void compile(Path folder, String source) throws IOException {
        Path file = Files.createDirectories(folder.resolve("student")).resolve("Mine.java");
        Files.writeString(file, "package student; import java.util.*; import java.util.concurrent.*; import java.util.function.*; import lsmlab.storage.options.*; " + source);
        assertEquals(0, ToolProvider.getSystemJavaCompiler().run(null, System.err, System.err, "-cp", System.getProperty("lsm.server.jar"), file.toString()));
    }

    private String[] all(String... options) {
        List<String> all = new ArrayList<>(List.of("--extension", "student.Mine", "--extension-path", folder.toString(), "--flush-threshold", "1MB"));
        all.addAll(List.of(options));
        return all.toArray(String[]::new);
    }

    private static final String FILTER = """
            class Mine implements TableFilter {
                public void build(byte[][] keys) {}
                public boolean mayHold(byte[] key) { %s }
            }""";

    /** Makes a table, by stopping and starting, and asks for its key. */
    private ServerProcess withATable(String source) throws Exception {
        try (ServerProcess first = start(source)) {
            assertEquals(201, first.put("/v0/entity?id=key", "value").statusCode());
            assertEquals(0, first.terminate());
        }
        return new ServerProcess(folder.resolve("data"), all());
    }

    @Test
    void aFilterIsAskedAndShownInTheStats() throws Exception {
        try (ServerProcess server = withATable(FILTER.formatted("return key.length == 3;"))) {
            assertEquals("value", server.get("/v0/entity?id=key").body());
            assertEquals(404, server.get("/v0/entity?id=other").statusCode());
            assertEquals("student.Mine", server.stats().at("/options/extension").asText());
            assertEquals(1, server.stat("/engine/prunedByBloom"));
        }
    }

    private static void assertEnded(ServerProcess server, String what) throws Exception {
        assertThrows(IOException.class, () -> server.get("/v0/entity?id=key"));
        assertTrue(server.process.waitFor(20, TimeUnit.SECONDS));
        assertEquals(Watch.EXIT_EXTENSION_FAILED, server.process.exitValue());
        String output = server.output();
        assertTrue(output.contains("the extension failed: student.Mine.mayHold " + what), output);
        assertTrue(output.contains("at student.Mine.mayHold(Mine.java:3)"), output);
    }

    @Test
    void oneThatThrowsEndsTheServerAndTheMessageSaysWhere() throws Exception {
        try (ServerProcess server = withATable(FILTER.formatted("throw new IllegalStateException(\"not done yet\");"))) {
            assertEnded(server, "threw java.lang.IllegalStateException: not done yet");
        }
    }

    @Test
    void soDoesOneThatHangs() throws Exception {
        try (ServerProcess server = withATable(FILTER.formatted("while (key.length > 0) { Thread.onSpinWait(); } return true;"))) {
            assertEnded(server, "has not returned for 2 s");
        }
    }

    @Test
    void aQueueTakesThePlaceOfThePools() throws Exception {
        try (ServerProcess server = start("""
                class Mine extends LinkedBlockingQueue<Runnable> {
                    Mine(int capacity) { super(capacity); }
                    public boolean offer(Runnable request) { return false; }
                }""", "--workers", "pool", "--worker-threads", "1")) {
            assertEquals(503, server.get("/v0/entity?id=key").statusCode());
            assertEquals("extension", server.stats().at("/workers/clients/queue").asText());
            assertEquals(1, server.stat("/workers/clients/rejected"));
        }
    }

    /** A memtable from outside in a store that the server has in the place of its engine. */
    @Test
    void partsOfAStoreTakeThePlaceOfTheEngine() throws Exception {
        try (ServerProcess first = start("""
                class Mine implements lsmlab.storage.assembled.Parts {
                    public lsmlab.storage.assembled.Memtable memtable() {
                        var inner = lsmlab.storage.assembled.Parts.super.memtable();
                        return new lsmlab.storage.assembled.Memtable() {
                            public void put(byte[] key, byte[] value) { inner.put(key, value == null ? null : (new String(value) + "!").getBytes()); }
                            public lsmlab.storage.assembled.KeyValue get(byte[] key) { return inner.get(key); }
                            public Iterator<lsmlab.storage.assembled.KeyValue> ascending() { return inner.ascending(); }
                            public long bytes() { return inner.bytes(); }
                        };
                    }
                }""")) {
            assertEquals(201, first.put("/v0/entity?id=a", "1").statusCode());
            assertEquals(201, first.put("/v0/entity?id=b", "2").statusCode());
            assertEquals("1!", first.get("/v0/entity?id=a").body());
            assertEquals(202, first.delete("/v0/entity?id=b").statusCode());
            assertEquals(404, first.get("/v0/entity?id=b").statusCode());
            assertEquals("a\n1!", first.get("/v0/entities?start=a&end=z").body());
            assertEquals(0, first.stat("/engine/puts"));
            assertEquals(0, first.terminate());
        }
        try (ServerProcess again = new ServerProcess(folder.resolve("data"), all())) {
            assertEquals("1!", again.get("/v0/entity?id=a").body());
        }
    }

    @Test
    void whatCannotBeUsedIsRefusedInALine() throws Exception {
        compile(folder, "class Mine {}");
        int port = ServerProcess.freePort();
        try (ServerProcess server = ServerProcess.refused(port, folder.resolve("data"), all())) {
            assertEquals(2, server.process.exitValue());
            assertTrue(server.output().contains("implements none of the types"), "said so");
        }
        try (ServerProcess server = ServerProcess.refused(port, folder.resolve("data"), "--extension", "student.Nobody", "--extension-path", folder.toString())) {
            assertEquals(2, server.process.exitValue());
            assertTrue(server.output().contains("--extension student.Nobody can't be loaded"), "said so");
        }
    }
}
