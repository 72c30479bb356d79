// SPDX-License-Identifier: Apache-2.0
package lsmlab.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import lsmlab.server.store.Store;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Overload, time limits, stopping, failing disks: what happens when not all is well. */
class ServingIT {
    /** A get of a value of several pages then takes a second at least: long enough to have many on the way, on a busy machine, too. */
    private static final String SLOW_DEVICE = "seek=1500ms,rate=100MB,cache=4KB";

    @TempDir
    Path data;

    private void fill(String... options) throws Exception {
        try (ServerProcess server = new ServerProcess(data, options)) {
            for (int i = 0; i < 20; i++) {
                assertEquals(201, server.put("/v0/entity?id=key" + i, "several pages".repeat(1_000)).statusCode());
            }
            assertEquals(0, server.terminate());
        }
    }

    private static List<CompletableFuture<HttpResponse<String>>> getAtOnce(ServerProcess server, int count) {
        return getAtOnce(server, 0, count);
    }

    private static List<CompletableFuture<HttpResponse<String>>> getAtOnce(ServerProcess server, int from, int to) {
        List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
        for (int i = from; i < to; i++) {
            answers.add(ServerProcess.http().sendAsync(server.request("/v0/entity?id=key" + i).build(), BodyHandlers.ofString()));
        }
        return answers;
    }

    /** A worker takes a moment to take a request, which until then stands in the queue in the place of another. So the first ones go ahead. */
    private static List<CompletableFuture<HttpResponse<String>>> getAllOnceBusy(ServerProcess server, int busy, int count) throws Exception {
        List<CompletableFuture<HttpResponse<String>>> answers = getAtOnce(server, 0, busy);
        ServerProcess.await("all workers are busy", () -> server.stat("/workers/clients/active") == busy && server.stat("/workers/clients/queueLength") == 0);
        answers.addAll(getAtOnce(server, busy, count));
        return answers;
    }

    @ParameterizedTest
    @CsvSource({"pool,array,2,3", "pool,linked,2,3", "pool,lifo,2,3", "pool,synchronous,2,2", "virtual,array,2,2"})
    void moreThanThereIsRoomForIsAnswered503(String workers, String queue, int capacity, int served) throws Exception {
        fill();
        int threads = queue.equals("synchronous") ? 2 : 1;
        try (ServerProcess server = new ServerProcess(data, "--workers", workers, "--worker-threads", Integer.toString(threads), "--queue", queue,
                "--queue-capacity", Integer.toString(capacity), "--device", SLOW_DEVICE)) {
            server.get("/v0/status"); // a connection is there and what it needs is loaded
            List<CompletableFuture<HttpResponse<String>>> answers = getAllOnceBusy(server, workers.equals("virtual") ? capacity : threads, 12);
            Map<Integer, Integer> statuses = new TreeMap<>();
            for (CompletableFuture<HttpResponse<String>> answer : answers) {
                HttpResponse<String> response = answer.get(30, TimeUnit.SECONDS);
                statuses.merge(response.statusCode(), 1, Integer::sum);
                if (response.statusCode() == 503) {
                    assertEquals("1", response.headers().firstValue("Retry-After").orElse("none"));
                    assertEquals("all workers are busy and no more requests may wait\n", response.body());
                }
            }
            assertEquals(Map.of(200, served, 503, 12 - served), statuses);
            JsonNode pool = server.stats().at("/workers/clients");
            assertEquals(12 - served, pool.get("rejected").asInt());
            assertEquals(served, pool.get("waited").asInt());
            assertEquals(0, pool.get("queueLength").asInt());
            assertEquals(queue.equals("synchronous") ? 0 : capacity, pool.get("capacity").asInt());
            if (served == 3) {
                assertTrue(pool.get("longestWaitNanos").asLong() >= 800_000_000, "the last waited for nearly two gets: " + pool);
            }
        }
    }

    @Test
    void overloadCanBeLookedInto() throws Exception {
        fill();
        try (ServerProcess server = new ServerProcess(data, "--workers", "pool", "--worker-threads", "1", "--queue-capacity", "1", "--device", SLOW_DEVICE)) {
            List<CompletableFuture<HttpResponse<String>>> answers = getAllOnceBusy(server, 1, 8);
            ServerProcess.await("the queue is full", () -> server.stat("/workers/clients/rejected") == 6);
            assertTrue(server.stat("/workers/clients/queueLength") <= 1);
            assertEquals(200, server.get("/v0/status").statusCode());
            assertTrue(server.get("/metrics").body().contains("lsm_workers_rejected_total{part=\"clients\"} 6.0"));
            CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new)).get(30, TimeUnit.SECONDS);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"pool", "virtual"})
    void stoppingAnswersWhatWasAccepted(String workers) throws Exception {
        fill();
        try (ServerProcess server = new ServerProcess(data, "--workers", workers, "--worker-threads", "2", "--device", SLOW_DEVICE.replace("1500ms", "300ms"))) {
            server.get("/v0/status");
            List<CompletableFuture<HttpResponse<String>>> answers = getAtOnce(server, 6);
            ServerProcess.await("all are accepted", () -> server.stat("/workers/clients/active") + server.stat("/workers/clients/queueLength") == 6);
            assertEquals(0, server.terminate());
            for (CompletableFuture<HttpResponse<String>> answer : answers) {
                assertEquals(200, answer.get(60, TimeUnit.SECONDS).statusCode());
            }
        }
    }

    /** A busy selector cannot report that it is handling a request, so the test waits: the request takes nine seconds, and stopping begins after three. */
    @Test
    void stoppingAnswersWhatASelectorIsAt() throws Exception {
        fill();
        try (ServerProcess server = new ServerProcess(data, "--workers", "sync", "--device", SLOW_DEVICE.replace("1500ms", "3000ms"));
                Socket socket = server.connect()) {
            socket.getOutputStream().write("GET /v0/entity?id=key1 HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            TimeUnit.SECONDS.sleep(3);
            assertEquals(0, server.terminate());
            String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
            assertTrue(answer.startsWith("HTTP/1.1 200 OK\r\n"), answer);
        }
    }

    @Test
    void idleConnectionsAreClosedAndSlowRequestsAnswered408() throws Exception {
        try (ServerProcess server = new ServerProcess(data, "--idle-timeout", "2s", "--request-timeout", "1s")) {
            assertEquals("", server.raw(""));
            for (String begun : List.of("G", "PUT /v0/entity?id=a HTTP/1.1\r\nHost: x\r\nX-", "PUT /v0/entity?id=a HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nab",
                    "PUT /v0/entity?id=a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\na")) {
                String answer = server.raw(begun);
                assertTrue(answer.matches("(?s)HTTP/1.1 408 .*\r\n\r\nthe request took too long to arrive\n"), answer);
            }
            assertEquals(404, server.get("/v0/entity?id=a").statusCode());
            assertEquals(4, server.stat("/http/answersByStatus/408"));
        }
    }

    @Test
    void aRequestThatTricklesIsNotTakenForAQuickOne() throws Exception {
        try (ServerProcess server = new ServerProcess(data, "--request-timeout", "1s"); Socket socket = server.connect()) {
            long begin = System.nanoTime();
            StringBuilder answer = new StringBuilder();
            socket.getOutputStream().write("PUT /v0/entity?id=a HTTP/1.1\r\nHost: x\r\n".getBytes(StandardCharsets.US_ASCII));
            socket.setSoTimeout(100);
            while (answer.indexOf("\n") < 0) {
                assertTrue(System.nanoTime() - begin < 60_000_000_000L, "it goes on for ever");
                try {
                    socket.getOutputStream().write("A: b\r\n".getBytes(StandardCharsets.US_ASCII));
                    answer.append((char) socket.getInputStream().read());
                    socket.setSoTimeout(1_000);
                    answer.append(new String(socket.getInputStream().readNBytes(20), StandardCharsets.US_ASCII));
                } catch (SocketTimeoutException e) {
                    // nothing yet
                } catch (SocketException e) {
                    break; // it was ended between two looks, and the system has thrown away what it said
                }
            }
            assertTrue(answer.isEmpty() || answer.toString().startsWith("HTTP/1.1 408 "), answer.toString());
            ServerProcess.await("it was answered", () -> server.stat("/http/answersByStatus/408") == 1);
        }
    }

    @Test
    void fiveThousandIdleConnectionsBesideAWorkingOne() throws Exception {
        int count = 5_000;
        List<Socket> idle = new ArrayList<>();
        try (ServerProcess server = new ServerProcess(data)) {
            long memory = residentBytes(server);
            for (int i = 0; i < count; i++) {
                Socket socket = server.connect();
                idle.add(socket);
                if (i % 2 == 0) {
                    socket.getOutputStream().write("GET /v0/st".getBytes(StandardCharsets.US_ASCII));
                }
            }
            ServerProcess.await("all are accepted", () -> server.stat("/http/connections") >= count);
            for (int i = 0; i < 200; i++) {
                assertEquals(201, server.put("/v0/entity?id=busy", "x").statusCode());
            }
            assertTrue(residentBytes(server) - memory < 200L << 20, "a connection takes little");
            Socket last = idle.getFirst();
            last.getOutputStream().write("atus HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            assertEquals("HTTP/1.1 200", new String(last.getInputStream().readNBytes(12), StandardCharsets.US_ASCII));
            for (Socket socket : idle) {
                socket.close();
            }
            ServerProcess.await("all are gone", () -> server.stat("/http/connections") < 10);
            assertEquals(0, server.terminate());
        } finally {
            for (Socket socket : idle) {
                socket.close();
            }
        }
    }

    private static long residentBytes(ServerProcess server) throws IOException {
        String statm = Files.readString(Path.of("/proc/" + server.process.pid() + "/statm"));
        return Long.parseLong(statm.split(" ")[1]) * 4_096;
    }

    @Test
    void aFullDiskStopsWritesAndNotReads() throws Exception {
        Process probe = new ProcessBuilder("unshare", "--user", "--map-root-user", "--mount", "true").start();
        Assumptions.assumeTrue(probe.waitFor() == 0, "no mount namespaces here");
        List<String> mounted = List.of("unshare", "--user", "--map-root-user", "--mount",
                "sh", "-c", "mount -t tmpfs -o size=24m none \"$0\" && exec \"$@\"", data.toString());
        try (ServerProcess server = new ServerProcess(ServerProcess.freePort(), "128m", mounted, data.resolve("small"), "--flush-threshold", "1MB")) {
            String value = "v".repeat(10_000);
            HttpResponse<String> response = server.put("/v0/entity?id=first", value);
            for (int i = 0; response.statusCode() == 201 && i < 10_000; i++) {
                response = server.put("/v0/entity?id=key" + i, value);
            }
            assertEquals(503, response.statusCode());
            assertTrue(response.body().startsWith("writes are refused until this is over: ") && response.body().contains("No space left"), response.body());
            assertEquals("1", response.headers().firstValue("Retry-After").orElse("none"));
            assertTrue(server.stats().at("/engine/trouble").asText("No space left").contains("No space left"));
            // A merge that has just failed gives its room back, so the next writes may be taken again.
            assertTrue(List.of(201, 503).contains(server.put("/v0/entity?id=more", value).statusCode()));
            assertTrue(List.of(202, 503).contains(server.delete("/v0/entity?id=key0").statusCode()));
            assertEquals(value, server.get("/v0/entity?id=first").body());
            assertEquals(200, server.get("/v0/status").statusCode());
            int status = server.terminate(); // 0 if merges have made room for what was in memory
            String said = server.output();
            assertTrue(status == 0 && said.isEmpty() || status == 1 && said.contains("No space left"), status + ": " + said);
        }
    }

    @Test
    void aDamagedBlockIsNamedAndTheRestIsRead() throws Exception {
        fill("--flush-threshold", "16KB", "--compaction", "none");
        Path table;
        try (var files = Files.list(data)) {
            table = files.filter(file -> file.toString().endsWith(".table")).sorted().findFirst().orElseThrow();
        }
        try (RandomAccessFile file = new RandomAccessFile(table.toFile(), "rw")) {
            file.seek(40);
            int b = file.read();
            file.seek(40);
            file.write(b ^ 1);
        }
        try (ServerProcess server = new ServerProcess(data, "--compaction", "none")) {
            int found = 0;
            int damaged = 0;
            for (int i = 0; i < 20; i++) {
                HttpResponse<String> response = server.get("/v0/entity?id=key" + i);
                if (response.statusCode() == 500) {
                    damaged++;
                    assertTrue(response.body().startsWith(table.toString()), response.body());
                } else {
                    assertEquals(200, response.statusCode());
                    found++;
                }
            }
            assertTrue(damaged > 0 && found > 0, found + " found, " + damaged + " damaged");
            assertEquals(201, server.put("/v0/entity?id=key0", "anew").statusCode());
        }
    }

    @Test
    void slowRequestsAreRecordedIfAskedAndTheRecordingIsThereInTheEnd() throws Exception {
        fill();
        Path file = data.resolve("recording.jfr");
        List<String> words = List.of("env", "JDK_JAVA_OPTIONS=-XX:StartFlightRecording=settings=none,+lsmlab.Request#enabled=true,+lsmlab.Request#threshold=400ms,filename=" + file);
        try (ServerProcess server = new ServerProcess(ServerProcess.freePort(), "256m", words, data, "--device", SLOW_DEVICE, "--workers", "pool")) {
            server.get("/v0/entity?id=key3");
            server.get("/v0/status");
            assertEquals(0, server.terminate());
        }
        List<RecordedEvent> events = RecordingFile.readAllEvents(file).stream().filter(event -> event.getEventType().getName().equals("lsmlab.Request"))
                .filter(event -> event.getString("path").equals("/v0/entity")).toList();
        assertEquals(1, events.size(), events.toString());
        RecordedEvent slow = events.getFirst();
        assertEquals("GET /v0/entity 200", slow.getString("method") + " " + slow.getString("path") + " " + slow.getInt("status"));
        assertTrue(slow.getDuration().toMillis() >= 500, slow.toString());
    }

    @Test
    void theEagerLogCostsAllocations() throws Exception {
        assertTrue(allocatedByPuts("--eager-log") - allocatedByPuts() > 200, "bytes a PUT");
    }

    private long allocatedByPuts(String... options) throws Exception {
        int count = 2_000;
        try (ServerProcess server = new ServerProcess(data.resolve("log" + options.length), options); Socket socket = server.connect()) {
            long before = server.stat("/jvm/allocatedBytes");
            byte[] put = "PUT /v0/entity?id=eager HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\nx".getBytes(StandardCharsets.US_ASCII);
            int answer = "HTTP/1.1 201 Created\r\nContent-Length: 0\r\nDate: Sat, 21 Nov 2026 12:00:00 GMT\r\n\r\n".length();
            for (int i = 0; i < count; i++) {
                socket.getOutputStream().write(put);
                socket.getInputStream().readNBytes(answer);
            }
            return (server.stat("/jvm/allocatedBytes") - before) / count;
        }
    }

    @Test
    void aStoreThatAnswersAConstantShowsTheWire() throws Exception {
        try (ServerProcess server = new ServerProcess(data, "--store", "constant")) {
            assertEquals(201, server.put("/v0/entity?id=a", "forgotten").statusCode());
            assertEquals(Store.CONSTANT_VALUE_BYTES, server.get("/v0/entity?id=b").body().length());
            assertEquals(0, server.stat("/engine/puts"));
        }
    }
}
