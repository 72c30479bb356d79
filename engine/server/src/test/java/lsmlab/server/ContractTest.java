// SPDX-License-Identifier: Apache-2.0
package lsmlab.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The HTTP contract, from outside. */
class ContractTest {
    @TempDir
    static Path data;

    static ServerProcess server;

    @BeforeAll
    static void start() throws Exception {
        server = new ServerProcess(data, "--flush-threshold", "64KB", "--max-body", "1MB");
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static void assertAnswer(int status, String body, HttpResponse<String> response) {
        assertEquals(status, response.statusCode());
        assertEquals(body, response.body());
    }

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
        String answer = server.raw("GET /v0/entity?id=" + id + " HTTP/1.1\r\nConnection: close\r\n\r\n");
        assertTrue(answer.matches("(?s)HTTP/1.1 400 .*\r\n\r\nthe id [^\n]+\n"), answer);
    }

    @ParameterizedTest
    @CsvSource({
        "GET,/v0/entity,400", "PUT,/v0/entity,400", "DELETE,/v0/entity,400", "POST,/v0/entity,400",
        "GET,/v0/entity?id=,400", "PUT,/v0/entity?id=,400", "DELETE,/v0/entity?id=,400", "GET,/v0/entity?id=%20,400",
        "POST,/v0/entity?id=a,405", "PATCH,/v0/entity?id=a,405", "OPTIONS,/v0/entity?id=a,405",
        "GET,/abracadabra,400", "GET,/,400",
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
        assertTrue(server.raw("PUT /v0/entity?id=\u00d0\u00ba HTTP/1.1\r\nContent-Length: 3\r\nConnection: close\r\n\r\nraw").startsWith("HTTP/1.1 201"));
        assertAnswer(200, "raw", server.get("/v0/entity?id=%D0%BA"));
    }

    @Test
    void headHasNoBody() throws Exception {
        assertTrue(server.raw("HEAD /v0/entity?id=a HTTP/1.1\r\nConnection: close\r\n\r\n").matches("(?s)HTTP/1.1 405 .*\r\n\r\n"));
    }

    @Test
    void longIdsAreTakenHoweverTheyArriveAndTooLongOnesRefused() throws Exception {
        String id = "k".repeat(20_000);
        String answer = server.rawInPieces("PUT /v0/entity?id=" + id, " HTTP/1.1\r\nContent-Length: 1\r\nConnection: close\r\n\r\n", "v");
        assertTrue(answer.startsWith("HTTP/1.1 201 "), answer);
        assertAnswer(200, "v", server.get("/v0/entity?id=" + id));
        String tooLong = server.rawInPieces("PUT /v0/entity?id=" + "k".repeat(40_000));
        assertTrue(tooLong.startsWith("HTTP/1.1 400 ") && tooLong.endsWith("a line of the request is longer than 32768 bytes\n"), tooLong);
    }

    @ParameterizedTest
    @CsvSource({"Transfer-Encoding : chunked", "' Content-Length: 1'", "Content-Length: +1", "Content-Length: 1x", "no colon", ": no name"})
    void headsWhoseBodyIsUnclearAreRefused(String header) throws Exception {
        String answer = server.raw("PUT /v0/entity?id=unclear HTTP/1.1\r\n" + header + "\r\n\r\nx");
        assertTrue(answer.matches("(?s)HTTP/1.1 400 .*\r\n\r\n[^\n]+\n"), answer);
        assertEquals(404, server.get("/v0/entity?id=unclear").statusCode());
    }

    @Test
    void twoContentLengthsAndTooManyHeadersAreRefused() throws Exception {
        String two = server.raw("PUT /v0/entity?id=unclear HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxy");
        assertTrue(two.startsWith("HTTP/1.1 400 "), two);
        String many = server.raw("GET /v0/status HTTP/1.1\r\n" + "X-Many: x\r\n".repeat(300) + "\r\n");
        assertTrue(many.startsWith("HTTP/1.1 400 "), many);
    }

    @Test
    void aClientThatSendsTooMuchReadsWhy() throws Exception {
        HttpResponse<String> response = server.put("/v0/entity?id=toolarge", "x".repeat(8 << 20));
        assertEquals(413, response.statusCode());
        assertEquals("the body is larger than the limit of 1MB\n", response.body());
    }

    @Test
    void bodiesUpToTheLimit() throws Exception {
        String large = "x".repeat(1 << 20);
        assertEquals(201, server.put("/v0/entity?id=large", large).statusCode());
        assertAnswer(200, large, server.get("/v0/entity?id=large"));
        assertEquals(413, server.put("/v0/entity?id=toolarge", large + "x").statusCode());
        assertEquals(404, server.get("/v0/entity?id=toolarge").statusCode());
    }

    @Test
    void chunksAreNotTakenForRequests() throws Exception {
        String smuggled = "PUT /v0/entity?id=smuggled HTTP/1.1\r\nContent-Length: 1\r\n\r\nx";
        String answer = server.raw("PUT /v0/entity?id=carrier HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
                + Integer.toHexString(smuggled.length()) + "\r\n" + smuggled + "\r\n0\r\n\r\n");
        assertTrue(answer.startsWith("HTTP/1.1 400 "), answer);
        assertEquals(404, server.get("/v0/entity?id=smuggled").statusCode());
        String both = server.raw("PUT /v0/entity?id=carrier HTTP/1.1\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n");
        assertTrue(both.startsWith("HTTP/1.1 400 "), both);
    }

    @Test
    void pipelinedRequestsAreAnsweredInOrder() throws Exception {
        String answer = server.raw("PUT /v0/entity?id=p1 HTTP/1.1\r\nContent-Length: 1\r\n\r\nA"
                + "GET /v0/entity?id=p1 HTTP/1.1\r\n\r\nGET /v0/nothing HTTP/1.1\r\nConnection: close\r\n\r\n");
        assertTrue(answer.matches("(?s)HTTP/1.1 201 .*HTTP/1.1 200 .*\r\n\r\nAHTTP/1.1 400 .*"), answer);
    }

    @Test
    void statsTellOptionsAndCounts() throws Exception {
        JsonNode before = new ObjectMapper().readTree(server.get("/v0/stats").body());
        assertEquals(64 << 10, before.at("/options/flushThresholdBytes").asLong());
        assertEquals("bloom block-index os block 1 1 incremental tiered none", Stream.of("pruning", "search", "wal", "backpressure",
                "flushThreads", "maxFrozen", "reload", "compaction", "device").map(name -> before.at("/options/" + name).asText())
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
