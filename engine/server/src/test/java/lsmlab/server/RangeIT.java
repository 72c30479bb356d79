// SPDX-License-Identifier: Apache-2.0
package lsmlab.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code /v0/entities}: records in chunks, streamed. */
class RangeIT {
    private static final String HEAD = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Type: application/octet-stream\r\n";

    @TempDir
    Path data;

    private static String range(ServerProcess server, String parameters) throws IOException, InterruptedException {
        String answer = server.raw("GET /v0/entities?" + parameters + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
        String head = HEAD + "Connection: close\r\n\r\n";
        assertTrue(answer.startsWith(head), answer);
        return answer.substring(head.length());
    }

    @Test
    void aRecordIsAChunk() throws Exception {
        try (ServerProcess server = new ServerProcess(data)) {
            for (String key : List.of("b", "a", "c", "d", "%D1%91", "%F0%9F%94%91")) {
                server.put("/v0/entity?id=" + key, "value of " + key);
            }
            server.put("/v0/entity?id=b", "");
            server.delete("/v0/entity?id=c");
            assertEquals("c\r\na\nvalue of a\r\n2\r\nb\n\r\nc\r\nd\nvalue of d\r\n0\r\n\r\n", range(server, "start=a&end=e"));
            assertEquals("2\r\nb\n\r\n0\r\n\r\n", range(server, "start=aa&end=d"));
            assertEquals("0\r\n\r\n", range(server, "start=d&end=d"));
            assertEquals("0\r\n\r\n", range(server, "start=d&end=a"));
            String unicode = range(server, "start=e");
            assertEquals("12\r\n\u00d1\u0091\nvalue of %D1%91\r\n1a\r\n\u00f0\u009f\u0094\u0091\nvalue of %F0%9F%94%91\r\n0\r\n\r\n", unicode);
            assertEquals("a\nvalue of ab\nd\nvalue of d", server.get("/v0/entities?start=a&end=e").body());
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 65_000, 65_520, 65_529, 65_530, 65_535, 65_536, 65_537, 200_000})
    void valuesOfAnySizeCrossBuffers(int length) throws Exception {
        try (ServerProcess server = new ServerProcess(data)) {
            String value = "v".repeat(length);
            server.put("/v0/entity?id=a", value);
            server.put("/v0/entity?id=b", value);
            assertEquals("a\n" + value + "b\n" + value, server.get("/v0/entities?start=a").body());
        }
    }

    @Test
    void aConnectionGoesOnAfterARange() throws Exception {
        try (ServerProcess server = new ServerProcess(data)) {
            server.put("/v0/entity?id=a", "x");
            String answer = server.raw("GET /v0/entities?start=a HTTP/1.1\r\nHost: x\r\n\r\nGET /v0/entity?id=a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
            assertTrue(answer.startsWith(HEAD + "\r\n3\r\na\nx\r\n0\r\n\r\nHTTP/1.1 200 OK\r\n"), answer);
        }
    }

    /** Begun or not: the client never takes what it got for the whole, and the place of the damage is named. */
    @Test
    void aRangeThatMeetsADamagedRecordSaysSo() throws Exception {
        int records = 400;
        try (ServerProcess server = new ServerProcess(data)) {
            for (int i = 0; i < records; i++) {
                server.put("/v0/entity?id=key%03d".formatted(i), "v".repeat(1_000));
            }
            assertEquals(0, server.terminate());
        }
        Path table;
        try (Stream<Path> files = Files.list(data)) {
            table = files.filter(file -> file.toString().endsWith(".table")).findFirst().orElseThrow();
        }
        byte[] bytes = Files.readAllBytes(table);
        bytes[bytes.length / 2] ^= 1;
        Files.write(table, bytes);
        int bad = 0;
        try (ServerProcess server = new ServerProcess(data)) {
            while (server.get("/v0/entity?id=key%03d".formatted(bad)).statusCode() == 200) {
                bad++;
            }
            assertTrue(bad > 100 && bad < 300, "key " + bad);
            HttpResponse<String> atOnce = server.get("/v0/entities?start=key%03d".formatted(bad));
            assertEquals(500, atOnce.statusCode());
            assertTrue(atOnce.body().startsWith(table.toString()), atOnce.body());
            assertEquals(0, server.stat("/http/rangesFailed"));
            HttpResponse<String> space = server.get("/v0/stats?space=1");
            assertEquals(500, space.statusCode());
            assertTrue(space.body().startsWith(table.toString()), space.body());
        }
        try (ServerProcess server = new ServerProcess(data)) {
            String begun = range(server, "start=key");
            assertTrue(begun.contains("key%03d\n".formatted(bad - 1)), "what can be read is sent");
            assertFalse(begun.endsWith("\r\n0\r\n\r\n"));
            assertEquals(1, server.stat("/http/rangesFailed"));
            assertEquals(0, server.terminate());
            assertTrue(server.output().contains(table.toString()), "and said");
        }
    }

    /** Reads one chunk; null after the last. */
    private static byte[] chunk(DataInputStream in) throws IOException {
        int length = Integer.parseInt(line(in), 16);
        byte[] chunk = in.readNBytes(length);
        assertEquals("", line(in));
        return length == 0 ? null : chunk;
    }

    private static String line(DataInputStream in) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int b = in.read(); b != '\n'; b = in.read()) {
            line.write(b);
        }
        return line.toString(StandardCharsets.US_ASCII).strip();
    }

    private static DataInputStream begin(Socket socket) throws IOException {
        socket.getOutputStream().write("GET /v0/entities?start=key HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        DataInputStream in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
        while (!line(in).isEmpty()) {
            // the head
        }
        return in;
    }

    /** 192 MB in a heap of 64 MB, changed while it is read. */
    @ParameterizedTest
    @CsvSource({"sync", "pool", "virtual"})
    void aRangeLargerThanTheHeapIsOfOneMoment(String workers) throws Exception {
        int records = 3_000;
        String value = "v".repeat(64 << 10);
        try (ServerProcess server = new ServerProcess(ServerProcess.freePort(), "64m", List.of(), data, "--workers", workers, "--wal", "none",
                "--flush-threshold", "16MB")) {
            IntStream.range(0, records).parallel().forEach(i -> {
                try {
                    assertEquals(201, server.put("/v0/entity?id=key%06d".formatted(i), value + i).statusCode());
                } catch (IOException | InterruptedException e) {
                    throw new AssertionError(e);
                }
            });
            try (Socket socket = server.connect()) {
                DataInputStream in = begin(socket);
                for (int i = 0; i < records; i++) {
                    byte[] record = chunk(in);
                    assertEquals("key%06d\n%s%d".formatted(i, value, i), new String(record, StandardCharsets.US_ASCII));
                    if (i == 10) {
                        server.delete("/v0/entity?id=key%06d".formatted(records - 1));
                        server.put("/v0/entity?id=key%06dx".formatted(records / 2), "later");
                    }
                }
                assertEquals(null, chunk(in));
            }
            assertEquals(404, server.get("/v0/entity?id=key%06d".formatted(records - 1)).statusCode());
        }
    }

    @Test
    void aSlowReaderTakesNoMemoryAndOneThatLeavesEndsTheScan() throws Exception {
        String value = "v".repeat(1 << 20);
        try (ServerProcess server = new ServerProcess(data, "--flush-threshold", "8MB")) {
            for (int i = 0; i < 100; i++) {
                server.put("/v0/entity?id=key%03d".formatted(i), value);
            }
            try (Socket socket = server.connect()) {
                DataInputStream in = begin(socket);
                assertEquals(7 + value.length(), chunk(in).length);
                assertEquals(1, server.stat("/http/openRanges"));
                long allocated = server.stat("/jvm/allocatedBytes");
                assertEquals(200, server.get("/v0/entity?id=key001").statusCode());
                long more = server.stat("/jvm/allocatedBytes") - allocated;
                assertTrue(more < 16 << 20, "the rest of the range is not read ahead: " + more);
                assertEquals(1, server.stat("/http/openRanges"));
            }
            ServerProcess.await("no range is open any more", () -> server.stat("/http/openRanges") == 0);
        }
    }

    @Test
    void aReaderThatStopsIsLetGo() throws Exception {
        String value = "v".repeat(1 << 20);
        try (ServerProcess server = new ServerProcess(data, "--idle-timeout", "2s")) {
            for (int i = 0; i < 50; i++) {
                server.put("/v0/entity?id=key%03d".formatted(i), value);
            }
            try (Socket socket = server.connect()) {
                begin(socket);
                assertFalse(server.stat("/http/openRanges") == 0);
                ServerProcess.await("the range is ended", () -> server.stat("/http/openRanges") == 0);
            }
        }
    }
}
