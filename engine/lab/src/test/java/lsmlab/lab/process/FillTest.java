// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.process;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class FillTest {
    private static final int RECORDS = 3_000;
    private static final int FOOTER_BYTES = 112;

    private static Map<String, byte[]> tables(Server server) throws IOException {
        Map<String, byte[]> tables = new TreeMap<>();
        try (var files = Files.newDirectoryStream(ServerProcess.of(server).data(), "*.table")) {
            for (Path file : files) {
                tables.put(file.getFileName().toString(), Files.readAllBytes(file));
            }
        }
        return tables;
    }

    /** But for the footer, which holds whose table it is. */
    private static void assertSameTables(Map<String, byte[]> expected, Map<String, byte[]> actual) {
        assertEquals(expected.keySet(), actual.keySet());
        expected.forEach((name, bytes) -> assertArrayEquals(Arrays.copyOf(bytes, bytes.length - FOOTER_BYTES),
                Arrays.copyOf(actual.get(name), actual.get(name).length - FOOTER_BYTES), name));
    }

    @Test
    void aFillIsTheSameOverHttpStraightIntoTheStoreAndFromTheCache() throws IOException {
        ServerBuilder servers = new ServerBuilder().flushThreshold("256KB").compaction("none");
        try (Server overHttp = servers.start(); Server direct = servers.start()) {
            Fill.of(ServerProcess.of(overHttp), RECORDS, "put-sequential.lua").forget();
            overHttp.put("what stood there before", "is gone after a fill");
            overHttp.fill(RECORDS, "put-sequential.lua");
            Map<String, byte[]> tables = tables(overHttp);
            assertTrue(tables.size() >= 8, tables.keySet().toString());
            assertEquals("404 no such id", overHttp.get("what stood there before"));
            assertTrue(overHttp.get("keyNumber0").startsWith("200 "));
            assertTrue(overHttp.get("keyNumber" + (RECORDS - 1)).startsWith("200 "));
            assertEquals("404 no such id", overHttp.get("keyNumber" + RECORDS));

            direct.fill(RECORDS, "put-sequential.lua");
            assertSameTables(tables, tables(direct));

            Fill.of(ServerProcess.of(direct), RECORDS, "put-sequential.lua").forget();
            new Fill(ServerProcess.of(direct), RECORDS, "put-sequential.lua", List.of(), 0).run();
            assertSameTables(tables, tables(direct));
            assertTrue(direct.get("keyNumber0").startsWith("200 "));
            try (Server startedFilled = servers.startFilled(RECORDS, "put-sequential.lua")) {
                assertSameTables(tables, tables(startedFilled));
                assertTrue(startedFilled.get("keyNumber0").startsWith("200 "));
            }
        }
    }

    @Test
    void aStoreThatForgetsIsNotKeptForOthers() throws IOException {
        int records = RECORDS + 1; // as no other fill
        try (Server forgets = new ServerBuilder().store("constant").start()) {
            forgets.fill(records, "put-sequential.lua");
        }
        try (Server server = new ServerBuilder().startFilled(records, "put-sequential.lua")) {
            assertTrue(server.get("keyNumber0").startsWith("200 "));
            Fill.of(ServerProcess.of(server), records, "put-sequential.lua").forget();
        }
    }
}
