// SPDX-License-Identifier: Apache-2.0
package lsmlab.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Where the time of requests goes, as {@code /v0/requests} shows it. */
class TraceIT {
    private static final int REQUESTS = 20;

    @TempDir
    Path data;

    /** What {@code /v0/requests} answers. */
    private record Traces(JsonNode about, List<Map<String, Long>> requests) {
        static Traces of(ServerProcess server, String query) throws Exception {
            var answer = ServerProcess.http().send(server.request("/v0/requests" + query).build(), BodyHandlers.ofByteArray());
            assertEquals(200, answer.statusCode());
            ByteBuffer bytes = ByteBuffer.wrap(answer.body()).order(ByteOrder.LITTLE_ENDIAN);
            assertEquals("about", line(bytes));
            int end = bytes.position();
            int depth = 0;
            do {
                depth += bytes.get(end) == '{' ? 1 : bytes.get(end) == '}' ? -1 : 0;
                end++;
            } while (depth > 0);
            JsonNode about = new ObjectMapper().readTree(Arrays.copyOfRange(answer.body(), bytes.position(), end));
            bytes.position(end);
            List<Map<String, Long>> requests = new ArrayList<>();
            while (bytes.hasRemaining()) {
                int length = Integer.parseInt(line(bytes));
                for (int at = 0; at < length; at += about.get("entryBytes").asInt()) {
                    requests.add(entry(bytes.slice(bytes.position() + at, about.get("entryBytes").asInt()).order(ByteOrder.LITTLE_ENDIAN), about));
                }
                bytes.position(bytes.position() + length);
            }
            return new Traces(about, requests);
        }

        private static String line(ByteBuffer bytes) {
            StringBuilder line = new StringBuilder();
            for (byte b = bytes.get(); b != '\n'; b = bytes.get()) {
                line.append((char) b);
            }
            return line.toString();
        }

        /** Times in nanoseconds after the request could be read. */
        private static Map<String, Long> entry(ByteBuffer bytes, JsonNode about) {
            Map<String, Long> entry = new HashMap<>();
            entry.put("readableNanos", bytes.getLong());
            for (String name : List.of("port", "number", "selector", "handler")) {
                entry.put(name, (long) bytes.getInt());
            }
            entry.put("method", (long) bytes.getShort());
            entry.put("status", (long) bytes.getShort());
            entry.put("node", (long) bytes.getInt());
            for (JsonNode name : about.get("times")) {
                int units = bytes.getInt();
                if (units != -1) {
                    entry.put(name.asText(), (units & 0xFFFF_FFFFL) * about.get("unitNanos").asLong());
                }
            }
            return entry;
        }
    }

    /** Sends requests one after the other over a connection of its own; returns its port. */
    private static int send(ServerProcess server, String method) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port)) {
            InputStream in = socket.getInputStream();
            for (int i = 0; i < REQUESTS; i++) {
                String request = "%s /v0/entity?id=k%d HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s".formatted(method, i, method.equals("PUT") ? 1 : 0,
                        method.equals("PUT") ? "v" : "");
                socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
                StringBuilder head = new StringBuilder();
                while (head.indexOf("\r\n\r\n") < 0) {
                    int next = in.read();
                    if (next < 0) {
                        throw new EOFException("the server closed the connection");
                    }
                    head.append((char) next);
                }
                in.skipNBytes(head.toString().lines().filter(line -> line.startsWith("Content-Length: ")).mapToLong(line -> Long.parseLong(line.substring(16))).findAny().orElse(0));
            }
            return socket.getLocalPort();
        }
    }

    private static void assertAscends(Map<String, Long> request, String... stages) {
        List<Long> times = Stream.of(stages).map(stage -> {
            assertTrue(request.containsKey(stage), stage + " is missing in " + request);
            return request.get(stage);
        }).toList();
        assertEquals(times.stream().sorted().toList(), times, request.toString());
    }

    @ParameterizedTest
    @ValueSource(strings = {"sync", "pool", "virtual"})
    void eachRequestIsKnownByItsConnectionAndPassesItsStagesInOrder(String workers) throws Exception {
        try (ServerProcess server = new ServerProcess(data, "--workers", workers, "--wal", "sync", "--trace-requests", "2000")) {
            long before = System.nanoTime();
            int puts = send(server, "PUT");
            int gets = send(server, "GET");
            Traces traces = Traces.of(server, "");
            long now = traces.about().get("nowNanos").asLong();
            assertTrue(before < now && now < System.nanoTime(), "both processes read one clock");
            for (int port : new int[] {puts, gets}) {
                List<Map<String, Long>> own = traces.requests().stream().filter(request -> request.get("port") == port).toList();
                assertEquals(REQUESTS, own.size());
                for (int i = 0; i < REQUESTS; i++) {
                    Map<String, Long> request = own.get(i);
                    assertEquals(i, request.get("number"));
                    assertEquals(port == puts ? 201 : 200, request.get("status"));
                    assertTrue(request.get("readableNanos") > before && request.get("readableNanos") + request.get("WRITTEN") < now);
                    assertEquals(workers.equals("sync"), request.get("selector").equals(request.get("handler")));
                    if (!workers.equals("sync")) {
                        assertAscends(request, "WHOLE", "TAKEN", "ANSWERED");
                    }
                    if (port == puts) {
                        assertAscends(request, "WHOLE", "WRITE", "WRITE_QUEUE", "WRITE_LOG", "WRITE_SYNC", "WRITE_MEMTABLE", "ANSWERED", "WRITTEN");
                    } else {
                        assertAscends(request, "WHOLE", "STORE", "STORED", "ANSWERED", "WRITTEN");
                    }
                }
            }
        }
    }

    @Test
    void aRangePassesTheStoreLikeAGet() throws Exception {
        try (ServerProcess server = new ServerProcess(data, "--trace-requests", "100")) {
            server.put("/v0/entity?id=a", "x");
            assertEquals(200, server.get("/v0/entities?start=a").statusCode());
            List<Map<String, Long>> asked = Traces.of(server, "").requests().stream().filter(request -> request.containsKey("STORE")).toList();
            assertEquals(1, asked.size());
            assertAscends(asked.getFirst(), "WHOLE", "STORE", "STORED", "WRITTEN");
        }
    }

    @Test
    void onlyTheLastRequestsAreKept() throws Exception {
        try (ServerProcess server = new ServerProcess(data, "--trace-requests", "1000")) {
            int last = 0;
            for (int i = 0; i < 60; i++) {
                last = send(server, "PUT");
            }
            Traces traces = Traces.of(server, "");
            assertEquals(1_024, traces.requests().size(), "in blocks of 1,024");
            assertEquals(60 * REQUESTS - 1_024, traces.about().get("lost").asLong());
            assertEquals((long) last, traces.requests().getLast().get("port"));
            long middle = traces.requests().get(512).get("readableNanos");
            List<Map<String, Long>> later = Traces.of(server, "?start=" + middle).requests();
            assertTrue(later.size() >= 512 && later.size() <= 514, later.size() + " are not over by then");
        }
    }

    /** A stop of 300 ms is longer than any wait for a processor. */
    @Test
    void aStopOfTheProcessIsSeen() throws Exception {
        try (ServerProcess server = new ServerProcess(data, "--trace-requests", "1000")) {
            Thread.sleep(300); // the hiccup thread runs
            long before = System.nanoTime();
            signal(server, "STOP");
            Thread.sleep(300);
            signal(server, "CONT");
            Thread.sleep(100);
            JsonNode events = Traces.of(server, "?start=" + before).about().get("events");
            long stopped = 0;
            for (JsonNode event : events) {
                stopped = Math.max(stopped, event.get("kind").asText().equals("STOPPED") ? event.get("toNanos").asLong() - event.get("fromNanos").asLong() : 0);
            }
            assertTrue(stopped > 250_000_000 && stopped < 2_000_000_000, events.toString());
        }
    }

    /** The modelled device takes a second for each flush, and two frozen memtables are too many: writes stall, and so do the selectors. */
    @Test
    void framesAreWrittenWhileNoRequestIsAnswered(@TempDir Path folder) throws Exception {
        Path frames = folder.resolve("frames");
        try (ServerProcess server = new ServerProcess(data, "--trace-requests", "1000", "--trace-frames", frames.toString(), "--flush-threshold", "1KB", "--device",
                "seek=1000ms,rate=1GB,cache=1MB", "--selectors", "1")) {
            Thread writer = Thread.ofVirtual().start(() -> {
                try {
                    for (int i = 0; i < 40; i++) {
                        send(server, "PUT");
                    }
                } catch (Exception e) {
                    // the server was stopped
                }
            });
            int stalled = 0;
            for (long until = System.nanoTime() + 20_000_000_000L; stalled < 3 && System.nanoTime() < until; Thread.sleep(100)) {
                stalled = (int) lines(frames).stream().filter(line -> line.at("/frame/layout/stall").asText().equals("MEMTABLES")).count();
            }
            assertTrue(stalled >= 3, "frames of stalls");
            assertTrue(lines(frames).stream().anyMatch(line -> !line.get("insideMicros").isEmpty()), "times of requests");
            writer.interrupt();
        }
    }

    private static List<JsonNode> lines(Path frames) throws IOException {
        String text = Files.exists(frames) ? Files.readString(frames) : "";
        List<JsonNode> lines = new ArrayList<>();
        for (String line : text.substring(0, text.lastIndexOf('\n') + 1).lines().toList()) {
            lines.add(new ObjectMapper().readTree(line));
        }
        return lines;
    }

    @Test
    void theEngineIsSeenTwiceASecondAndItsThreadsMoreOften() throws Exception {
        try (ServerProcess server = new ServerProcess(data, "--trace-requests", "1000")) {
            long before = System.nanoTime();
            int sent = 0;
            for (; System.nanoTime() - before < 1_600_000_000; sent += REQUESTS) {
                send(server, "PUT");
            }
            JsonNode about = Traces.of(server, "?start=" + before).about();
            JsonNode frames = about.get("frames");
            assertTrue(frames.size() >= 3, frames.size() + " frames");
            JsonNode last = frames.get(frames.size() - 1);
            assertTrue(last.at("/counts/writes").asLong() > frames.at("/0/counts/writes").asLong() && last.at("/counts/writes").asLong() <= sent, last.toString());
            assertTrue(last.at("/layout/activeBytes").asLong() > 0, last.toString());
            assertTrue(about.get("samples").size() > 0);
            about.get("samples").forEach(sample -> assertTrue(about.get("stacks").get(sample.get("stack").asInt()).asText().contains("."), sample.toString()));
        }
    }

    private static void signal(ServerProcess server, String name) throws Exception {
        assertEquals(0, new ProcessBuilder("kill", "-" + name, Long.toString(server.process.pid())).start().waitFor());
    }

    @Test
    void withoutTheOptionThereIsNothingToSee() throws Exception {
        try (ServerProcess server = new ServerProcess(data)) {
            var answer = ServerProcess.http().send(server.request("/v0/requests").build(), BodyHandlers.ofString());
            assertEquals(404, answer.statusCode());
            assertEquals("requests are not traced: --trace-requests N keeps the last N\n", answer.body());
        }
    }
}
