// SPDX-License-Identifier: Apache-2.0
package lsmlab.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The HTTP contract of a single node, from outside, however requests are handled. */
@ParameterizedClass
@ValueSource(strings = {"sync", "pool", "virtual"})
class ContractIT extends OneNode {
    @Test
    void putGetDelete() throws Exception {
        assertEquals(404, server.get("/v0/entity?id=life").statusCode());
        assertAnswer(201, "", server.put("/v0/entity?id=life", "one"));
        assertAnswer(200, "one", server.get("/v0/entity?id=life"));
        assertAnswer(201, "", server.put("/v0/entity?id=life", "two"));
        assertAnswer(200, "two", server.get("/v0/entity?id=life"));
        assertAnswer(202, "", server.delete("/v0/entity?id=life"));
        assertEquals(404, server.get("/v0/entity?id=life").statusCode());
        assertAnswer(202, "", server.delete("/v0/entity?id=life"));
        assertAnswer(202, "", server.delete("/v0/entity?id=never"));
    }

    @Test
    void deletedAndAbsentLookTheSame() throws Exception {
        server.put("/v0/entity?id=gone", "x");
        server.delete("/v0/entity?id=gone");
        assertEquals(server.get("/v0/entity?id=absent").body(), server.get("/v0/entity?id=gone").body());
    }

    @Test
    void emptyValueIsAValue() throws Exception {
        server.put("/v0/entity?id=empty", "not yet");
        assertAnswer(201, "", server.put("/v0/entity?id=empty", ""));
        assertAnswer(200, "", server.get("/v0/entity?id=empty"));
    }

    @Test
    void idsAreUtf8() throws Exception {
        server.put("/v0/entity?id=%D0%BA%D0%BB%D1%8E%D1%87%20%F0%9F%94%91", "found");
        assertAnswer(200, "found", server.get("/v0/entity?id=%D0%BA%D0%BB%D1%8E%D1%87+%F0%9F%94%91"));
        assertEquals(404, server.get("/v0/entity?id=%D0%BA%D0%BB").statusCode());
    }

    @ParameterizedTest
    @CsvSource({"a%2", "%zz", "%", "%C3%28", "%ED%A0%80", "%FF"})
    void idsThatAreNoUtf8AreRefused(String id) throws Exception {
        String answer = server.raw("GET /v0/entity?id=" + id + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
        assertTrue(answer.matches("(?s)HTTP/1.1 400 .*\r\n\r\nthe parameter id [^\n]+\n"), answer);
    }

    @ParameterizedTest
    @CsvSource({
        "GET,/v0/entity,400", "PUT,/v0/entity,400", "DELETE,/v0/entity,400", "POST,/v0/entity,400",
        "GET,/v0/entity?id=,400", "PUT,/v0/entity?id=,400", "DELETE,/v0/entity?id=,400", "GET,/v0/entity?id=%20,400",
        "POST,/v0/entity?id=a,405", "PATCH,/v0/entity?id=a,405", "OPTIONS,/v0/entity?id=a,405",
        "GET,/abracadabra,400", "GET,/,400", "GET,/v0/entity/,400", "GET,/v0/entit,400", "GET,/v0/entityx?id=a,400",
        "PUT,/v0/entities?start=a,405", "POST,/v0/entities?start=a,405", "DELETE,/v0/entities?start=a,405",
        "GET,/v0/entities,400", "GET,/v0/entities?start=,400", "GET,/v0/entities?end=b,400", "GET,/v0/entities?start=&end=b,400",
        "GET,/v0/entities?start=a&end=,400", "GET,/v0/entities?start=%20,400", "GET,/v0/entities?start=a&end=%20,400",
        "GET,/v0/status,200", "PUT,/v0/status,405", "POST,/v0/stats,405"})
    void statuses(String method, String path, int status) throws Exception {
        HttpResponse<String> response = server.send(method, path, BodyPublishers.ofString("x"));
        assertEquals(status, response.statusCode());
        assertTrue(response.body().matches("[^\n]+\n"), "one line of text: " + response.body());
    }

    @Test
    void idsThatDifferAreDifferentKeys() throws Exception {
        server.put("/v0/entity?id=%F0%9F%94%91%F0%9F%98%80", "key");
        server.put("/v0/entity?id=%F0%9F%94%81%F0%9F%98%80", "repeat");
        assertAnswer(200, "key", server.get("/v0/entity?id=%F0%9F%94%91%F0%9F%98%80"));
        server.put("/v0/entity?x=1&id=a%26b%3D%2B", "escaped");
        assertAnswer(200, "escaped", server.get("/v0/entity?id=a%26b%3D%2B&y=2"));
        assertTrue(server.raw("PUT /v0/entity?id=\u00d0\u00ba HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nConnection: close\r\n\r\nraw").startsWith("HTTP/1.1 201"));
        assertAnswer(200, "raw", server.get("/v0/entity?id=%D0%BA"));
    }

    /** Uses a new connection each time, whose buffers have their first sizes. */
    @ParameterizedTest
    @ValueSource(ints = {64, 65, 300, 10_000})
    @Tag(OWN_STORE)
    void boundsOfARangeMayBeLong(int length) throws Exception {
        String prefix = "bounds" + length;
        for (String id : List.of(prefix + "a", prefix + "m")) {
            assertEquals(201, server.put("/v0/entity?id=" + id, "v").statusCode());
        }
        String low = prefix + "b" + "z".repeat(length - prefix.length() - 1);
        String high = prefix + "n" + "z".repeat(length - prefix.length() - 1);
        String request = "GET /v0/entities?start=%s&end=%s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
        String one = server.raw(request.formatted(low, high));
        assertTrue(one.contains(prefix + "m\nv") && !one.contains(prefix + "a\n"), one);
        assertTrue(server.raw(request.formatted(prefix, low)).contains(prefix + "a\nv"));
        assertTrue(server.raw(request.formatted(high, low)).endsWith("\r\n\r\n0\r\n\r\n"), "nothing lies between");
    }

    @Test
    void headHasNoBody() throws Exception {
        assertTrue(server.raw("HEAD /v0/entity?id=a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").matches("(?s)HTTP/1.1 405 .*\r\n\r\n"));
        String refused = server.raw("HEAD /v0/entity?id=a HTTP/1.1\r\n\r\n");
        assertTrue(refused.matches("(?s)HTTP/1.1 400 .*\r\n\r\n"), "it has no Host: " + refused);
    }

    @Test
    void closeIsObeyedWhateverElseIsSaid() throws Exception {
        for (String connection : List.of("Connection: close, keep-alive", "Connection: close\r\nConnection: keep-alive", "Connection: keep-alive, close")) {
            String answer = server.raw("GET /v0/status HTTP/1.1\r\nHost: x\r\n%s\r\n\r\n".formatted(connection)); // ends with the connection
            assertTrue(answer.startsWith("HTTP/1.1 200 ") && answer.contains("\r\nConnection: close\r\n"), answer);
        }
    }

    @Test
    @Tag(OWN_STORE)
    void onlyAGetMeasuresTheSpace() throws Exception {
        assertEquals(405, server.put("/v0/stats?space=1", "x").statusCode());
        assertTrue(server.get("/v0/stats?space=1").body().contains("\"space\""));
    }

    @Test
    void longIdsAreTakenHoweverTheyArriveAndTooLongOnesRefused() throws Exception {
        String id = "k".repeat(20_000);
        String answer = server.rawInPieces("PUT /v0/entity?id=" + id, " HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nConnection: close\r\n\r\n", "v");
        assertTrue(answer.startsWith("HTTP/1.1 201 "), answer);
        assertAnswer(200, "v", server.get("/v0/entity?id=" + id));
        String tooLong = server.rawInPieces("PUT /v0/entity?id=" + "k".repeat(40_000));
        assertTrue(tooLong.startsWith("HTTP/1.1 414 ") && tooLong.endsWith("a line of the request is longer than 32768 bytes\n"), tooLong);
    }

    @Test
    void anIdOfControlCharactersIsAnId() throws Exception {
        server.put("/v0/entity?id=%01%02", "v");
        assertAnswer(200, "v", server.get("/v0/entity?id=%01%02"));
        assertEquals(400, server.get("/v0/entity?id=%20%09").statusCode());
    }

    @ParameterizedTest
    @CsvSource({"ack=1&from=1,201", "replicas=1/1,201", "ack=1,201", "from=1,201",
        "ack=0&from=1,400", "ack=2&from=1,400", "ack=1&from=2,400", "from=0,400", "from=-1,400", "ack=,400", "ack=x,400", "from=1.5,400",
        "replicas=,400", "replicas=1,400", "replicas=2/1,400", "replicas=1/2,400", "replicas=/,400", "replicas=1/1&ack=1,400"})
    void ackAndFromOfASingleNode(String parameters, int status) throws Exception {
        HttpResponse<String> response = server.put("/v0/entity?id=acked&" + parameters, "x");
        assertEquals(status, response.statusCode(), response.body());
    }

    @Test
    void replicaHeadersMeanNothingToANodeAlone() throws Exception {
        assertAnswer(201, "", ServerProcess.http().send(server.request("/v0/entity?id=header").header("X-Lsm-Replica", "7")
                .PUT(BodyPublishers.ofString("as it is")).build(), HttpResponse.BodyHandlers.ofString()));
        assertAnswer(200, "as it is", server.get("/v0/entity?id=header"));
        assertEquals(400, ServerProcess.http().send(server.request("/v0/entity?id=header").header("X-Lsm-Replica", "no number").build(),
                HttpResponse.BodyHandlers.ofString()).statusCode());
    }

    @Test
    void concurrentClientsReadWhatTheyWrote() throws Exception {
        List<Future<Void>> clients = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(16)) {
            for (int client = 0; client < 16; client++) {
                String name = "client" + client;
                clients.add(threads.submit(() -> {
                    for (int i = 0; i < 50; i++) {
                        String value = name + " " + i + "x".repeat(i * 37);
                        assertEquals(201, server.put("/v0/entity?id=" + name, value).statusCode());
                        assertAnswer(200, value, server.get("/v0/entity?id=" + name));
                    }
                    return null;
                }));
            }
            for (Future<Void> client : clients) {
                client.get();
            }
        }
    }

    @Test
    @Tag(OWN_STORE)
    void everyStatIsDocumented() throws Exception {
        String readme = Files.readString(Path.of("README.md"));
        JsonNode stats = new ObjectMapper().readTree(server.get("/v0/stats?space=1").body());
        assertEquals(List.of("options", "engine", "space", "http", "workers", "jvm"), stats.propertyStream().map(Map.Entry::getKey).toList());
        for (String pointer : List.of("/space", "/http", "/workers", "/workers/clients", "/jvm")) {
            stats.at(pointer).fieldNames().forEachRemaining(name -> assertTrue(readme.contains("`" + name + "`"), pointer + "/" + name));
        }
        assertEquals(server.get("/v0/stats").body().indexOf("\"space\""), -1, "the store is read through only if asked");
    }

    @Test
    @Tag(OWN_STORE)
    void metricsAreForPrometheus() throws Exception {
        server.put("/v0/entity?id=metered", "x");
        HttpResponse<String> response = server.get("/metrics");
        assertEquals("text/plain; version=0.0.4; charset=utf-8", response.headers().firstValue("Content-Type").orElseThrow());
        String body = response.body();
        for (String line : List.of("lsm_puts_total \\d", "lsm_http_answers_total\\{status=\"201\"} \\d",
                "lsm_http_request_duration_seconds_bucket\\{method=\"PUT\",le=\"0.001\"} \\d", "lsm_http_request_duration_seconds_count\\{method=\"PUT\"} [1-9]", "lsm_table_bytes \\d",
                "lsm_stall_seconds_total \\d",
                "lsm_workers_rejected_total\\{part=\"clients\"} \\d", "jvm_gc_collection_seconds_count", "jvm_memory_used_bytes")) {
            assertTrue(Pattern.compile("^" + line, Pattern.MULTILINE).matcher(body).find(), line + " in " + body);
        }
    }

    @Test
    @Tag(OWN_STORE)
    void statsTellOptionsAndCounts() throws Exception {
        JsonNode before = new ObjectMapper().readTree(server.get("/v0/stats").body());
        assertEquals(64 << 10, before.at("/options/flushThresholdBytes").asLong());
        assertEquals(workers, before.at("/options/workers").asText());
        assertEquals("bloom block-index os block 1 1 incremental tiered 0 none", Stream.of("pruning", "search", "wal", "backpressure",
                "flushThreads", "maxFrozen", "reload", "compaction", "compactionBytesPerSecond", "device").map(name -> before.at("/options/" + name).asText())
                .collect(Collectors.joining(" ")));
        server.put("/v0/entity?id=counted", "x");
        server.get("/v0/entity?id=counted");
        JsonNode after = new ObjectMapper().readTree(server.get("/v0/stats").body());
        assertEquals(before.at("/engine/puts").asLong() + 1, after.at("/engine/puts").asLong());
        assertEquals(before.at("/engine/gets").asLong() + 1, after.at("/engine/gets").asLong());
        assertTrue(after.at("/http/sockets").asText().matches("one-nio native|java nio"));
        assertTrue(after.at("/jvm/heapMaxBytes").asLong() > 0);
    }
}
