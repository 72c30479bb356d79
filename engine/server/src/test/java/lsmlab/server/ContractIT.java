// SPDX-License-Identifier: Apache-2.0
package lsmlab.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayInputStream;
import java.net.Socket;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The HTTP contract of a single node, from outside, however requests are handled. */
@ParameterizedClass
@ValueSource(strings = {"sync", "pool", "virtual"})
class ContractIT {
    @TempDir
    static Path data;

    static ServerProcess server;

    @Parameter
    String workers; // the servers' own; named so in reports

    @BeforeParameterizedClassInvocation
    static void start(String workers) throws Exception {
        server = new ServerProcess(data.resolve(workers), "--workers", workers, "--flush-threshold", "64KB", "--max-body", "1MB");
    }

    @AfterParameterizedClassInvocation
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

    @ParameterizedTest
    @CsvSource({"Transfer-Encoding : chunked", "' Content-Length: 1'", "Content-Length: +1", "Content-Length: 1x", "no colon", ": no name"})
    void headsWhoseBodyIsUnclearAreRefused(String header) throws Exception {
        String answer = server.raw("PUT /v0/entity?id=unclear HTTP/1.1\r\nHost: x\r\n" + header + "\r\n\r\nx");
        assertTrue(answer.matches("(?s)HTTP/1.1 400 .*\r\n\r\n[^\n]+\n"), answer);
        assertEquals(404, server.get("/v0/entity?id=unclear").statusCode());
    }

    @Test
    void twoContentLengthsAndTooManyHeadersAreRefused() throws Exception {
        String two = server.raw("PUT /v0/entity?id=unclear HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxy");
        assertTrue(two.startsWith("HTTP/1.1 400 "), two);
        String many = server.raw("GET /v0/status HTTP/1.1\r\nHost: x\r\n" + "X-Many: x\r\n".repeat(300) + "\r\n");
        assertTrue(many.startsWith("HTTP/1.1 431 "), many);
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
    void chunkedBodiesAreDecodedAndNotTakenForRequests() throws Exception {
        String smuggled = "PUT /v0/entity?id=smuggled HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\nx";
        String answer = server.raw("PUT /v0/entity?id=carrier HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: Chunked\r\n\r\n"
                + Integer.toHexString(smuggled.length()) + ";ext=1\r\n" + smuggled + "\r\n2\r\n!!\r\n000\r\nTrailer: x\r\n\r\n"
                + "GET /v0/entity?id=carrier HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
        assertTrue(answer.matches("(?s)HTTP/1.1 201 .*HTTP/1.1 200 .*\r\n\r\n\\Q" + smuggled + "\\E!!"), answer);
        assertEquals(404, server.get("/v0/entity?id=smuggled").statusCode());
    }

    @Test
    void chunksMayEndAnywhereInAPacket() throws Exception {
        String request = "PUT /v0/entity?id=cut HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n3\r\nabc\r\n1;x\r\nd\r\n0\r\nA: b\r\n\r\n";
        for (int cut = request.indexOf("3\r\nabc") - 3; cut < request.length(); cut += 3) {
            String answer = server.rawInPieces(request.substring(0, cut), request.substring(cut));
            assertTrue(answer.startsWith("HTTP/1.1 201 "), "cut at " + cut + ": " + answer);
            assertAnswer(200, "abcd", server.get("/v0/entity?id=cut"));
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "Content-Length: 3|0\\r\\n\\r\\n", "X: y|zz\\r\\nabc", "X: y|-1\\r\\nabc", "X: y|\\r\\nabc", "X: y|1\\r\\nabc\\r\\n",
        "X: y|1\\nabc", "X: y|1x\\r\\na\\r\\n", "X: y|ffffffffffffffff\\r\\na", "Transfer-Encoding: chunked|0\\r\\n\\r\\n"})
    void badChunksAreRefused(String header, String body) throws Exception {
        String answer = server.raw("PUT /v0/entity?id=bad HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n" + header + "\r\n\r\n"
                + body.translateEscapes());
        assertTrue(answer.matches("(?s)HTTP/1.1 400 .*\r\n\r\n[^\n]+\n"), answer);
        assertEquals(404, server.get("/v0/entity?id=bad").statusCode());
    }

    @Test
    void chunkedBodiesHaveALimit() throws Exception {
        HttpResponse<String> response = server.send("PUT", "/v0/entity?id=toolarge", BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(new byte[8 << 20])));
        assertEquals(413, response.statusCode());
        assertEquals("the body is larger than the limit of 1MB\n", response.body());
        assertEquals(404, server.get("/v0/entity?id=toolarge").statusCode());
    }

    @ParameterizedTest
    @CsvSource({"gzip,400", "'gzip, chunked',501", "'chunked, gzip',400", "identity,400"})
    void otherTransferEncodingsAreRefused(String encoding, int status) throws Exception {
        String answer = server.raw("PUT /v0/entity?id=bad HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: " + encoding + "\r\n\r\n");
        assertTrue(answer.startsWith("HTTP/1.1 " + status), answer);
    }

    @Test
    void clientsThatExpectContinueAreToldToGoOn() throws Exception {
        try (Socket socket = server.connect()) {
            for (String piece : List.of("PUT /v0/entity?id=expected HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nExpect: 100-", "continue\r\n", "Connection: close\r\n\r\n")) {
                socket.getOutputStream().write(piece.getBytes(StandardCharsets.US_ASCII));
            }
            String goOn = "HTTP/1.1 100 Continue\r\n\r\n";
            assertEquals(goOn, new String(socket.getInputStream().readNBytes(goOn.length()), StandardCharsets.US_ASCII));
            socket.getOutputStream().write("ok".getBytes(StandardCharsets.US_ASCII));
            String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
            assertTrue(answer.startsWith("HTTP/1.1 201 "), answer);
        }
        String all = server.raw("PUT /v0/entity?id=expected HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nExpect: 100-continue\r\nConnection: close\r\n\r\nok");
        assertTrue(all.startsWith("HTTP/1.1 201 "), all);
        assertTrue(server.raw("PUT /v0/entity?id=expected HTTP/1.1\r\nHost: x\r\nExpect: the best\r\n\r\n").startsWith("HTTP/1.1 417 "));
    }

    @Test
    void http10IsKeptAliveOnlyIfAsked() throws Exception {
        String closed = server.raw("GET /v0/status HTTP/1.0\r\n\r\n");
        assertTrue(closed.matches("(?s)HTTP/1.1 200 .*Connection: close\r\n.*serving\n"), closed);
        String kept = server.raw("GET /v0/status HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\nGET /v0/status HTTP/1.0\r\n\r\n");
        assertTrue(kept.matches("(?s)HTTP/1.1 200 .*Connection: keep-alive\r\n.*serving\nHTTP/1.1 200 .*Connection: close.*"), kept);
    }

    @ParameterizedTest
    @CsvSource({"/v0/status,200", "/v0/entity?id=dated,404", "/nope,400", "/v0/entities?start=dated,200", "/metrics,200", "/v0/stats,200"})
    void everyAnswerHasItsDate(String path, int status) throws Exception {
        HttpResponse<String> response = server.get(path);
        assertEquals(status, response.statusCode());
        Instant date = Instant.from(DateTimeFormatter.RFC_1123_DATE_TIME.parse(response.headers().firstValue("Date").orElseThrow()));
        assertTrue(Duration.between(date, Instant.now()).abs().compareTo(Duration.ofSeconds(60)) < 0, date.toString());
    }

    /** RFC 9112, 3.2. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"Accept: */*", "Host: a\\r\\nHost: a", "Host:", "'Host: '", "Host: a b", "Host: a/b", "Host: a:b", "Host: [::1", "Host: a@b"})
    void aHostIsThereOnceAndIsOne(String header) throws Exception {
        String answer = server.raw("GET /v0/status HTTP/1.1\r\n" + header.translateEscapes() + "\r\n\r\n");
        assertTrue(answer.matches("(?s)HTTP/1.1 400 .*Host .*\n"), answer);
    }

    @ParameterizedTest
    @CsvSource({"localhost", "127.0.0.1:8080", "[::1]:80", "[::1]", "a.b-c_d.example:", "xn--80ak6aa92e.com"})
    void hostsOfAllKindsAreTaken(String host) throws Exception {
        String answer = server.raw("GET /v0/status HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n");
        assertTrue(answer.startsWith("HTTP/1.1 200 "), answer);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"5;|400", "'5 '|400", "5;;|400", "5;=x|400", "5;a=|400", "5;a=\"open|400", "5;a b|400",
        "5 ; a = \"q\\\\\"q\" ;b|201", "5;a|201", "5;a=b;c=\"d e\"|201", "05|201"})
    void whatFollowsAChunksSizeIsAnExtension(String size, int status) throws Exception {
        String answer = server.raw("PUT /v0/entity?id=extended HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
                + size.translateEscapes() + "\r\nvalue\r\n0\r\n\r\n");
        assertTrue(answer.startsWith("HTTP/1.1 " + status), size + ": " + answer);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"X(y): z", "X@: z", "\"X\": z", "X/Y: z", "X{}: z", "X\u00e9: z"})
    void headersAreNamedByTokens(String header) throws Exception {
        String answer = server.raw("GET /v0/status HTTP/1.1\r\nHost: x\r\n" + header + "\r\n\r\n");
        assertTrue(answer.startsWith("HTTP/1.1 400 "), answer);
    }

    @Test
    void anIdOfControlCharactersIsAnId() throws Exception {
        server.put("/v0/entity?id=%01%02", "v");
        assertAnswer(200, "v", server.get("/v0/entity?id=%01%02"));
        assertEquals(400, server.get("/v0/entity?id=%20%09").statusCode());
    }

    @ParameterizedTest
    @CsvSource({"GET /v0/status HTTP/2.0,505", "GET /v0/status,400", "GET  /v0/status HTTP/1.1,400", "get /v0/status HTTP/1.1,405", "M-SEARCH /v0/status HTTP/1.1,405", "G@T /v0/status HTTP/1.1,400",
        "GET /v0/entity?id=a&id=b HTTP/1.1,400", "GET /v0/entities?start=a&start=a HTTP/1.1,400",
        "'GET /v0/sta tus HTTP/1.1',400", "GET\t/v0/status HTTP/1.1,400", "HTTP/1.1,400", "BREW /v0/entity?id=a HTTP/1.1,405", "BREW /pot HTTP/1.1,400",
        "GET http://any.host/v0/status HTTP/1.1,200", "GET http://any.host HTTP/1.1,400", "OPTIONS * HTTP/1.1,400", "GET /v0/entities?start=%zz HTTP/1.1,400",
        "GET /v0/entities?start=a HTTP/1.0,505"})
    void firstLines(String line, int status) throws Exception {
        String answer = server.raw(line + "\r\nHost: x\r\nConnection: close\r\n\r\n");
        assertTrue(answer.matches("(?s)HTTP/1.1 " + status + " .*\r\n\r\n[^\n]+\n"), answer);
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
    void pipelinedRequestsAreAnsweredInOrder() throws Exception {
        String answer = server.raw("PUT /v0/entity?id=p1 HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\nA"
                + "GET /v0/entity?id=p1 HTTP/1.1\r\nHost: x\r\n\r\nGET /v0/nothing HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
        assertTrue(answer.matches("(?s)HTTP/1.1 201 .*HTTP/1.1 200 .*\r\n\r\nAHTTP/1.1 400 .*"), answer);
    }

    @Test
    void aThousandPipelinedRequestsAreAnsweredInOrder() throws Exception {
        StringBuilder requests = new StringBuilder();
        StringBuilder expected = new StringBuilder();
        for (int i = 0; i < 1_000; i++) {
            requests.append("PUT /v0/entity?id=many HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\n").append(1_000 + i).append("GET /v0/entity?id=many HTTP/1.1\r\nHost: x\r\n\r\n");
            expected.append("HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n").append(1_000 + i);
        }
        String answers = server.raw(requests + "GET /v0/status HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
        assertTrue(answers.startsWith(expected.toString()), answers.substring(0, 500));
    }

    @Test
    void answersToAClientThatDoesNotReadWait() throws Exception {
        server.put("/v0/entity?id=wide", "w".repeat(1 << 20));
        int count = 200; // 200 MB, more than buffers of sockets take
        try (Socket socket = server.connect()) {
            socket.getOutputStream().write("GET /v0/entity?id=wide HTTP/1.1\r\nHost: x\r\n\r\n".repeat(count).getBytes(StandardCharsets.US_ASCII));
            long before = server.stat("/jvm/allocatedBytes");
            assertAnswer(200, "serving\n", server.get("/v0/status"));
            long after = server.stat("/jvm/allocatedBytes");
            assertTrue(after - before < 20L << 20, "it makes no answers ahead of the client: " + (after - before));
            int expected = count * ("HTTP/1.1 200 OK\r\nContent-Length: 1048576\r\n\r\n".length() + (1 << 20));
            byte[] read = socket.getInputStream().readNBytes(expected);
            assertEquals(expected, read.length);
        }
    }

    @Test
    void aRefusalComesAfterTheAnswersBeforeIt() throws Exception {
        String answer = server.raw("PUT /v0/entity?id=before HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\nAnonsense\r\n\r\n");
        assertTrue(answer.matches("(?s)HTTP/1.1 201 .*\r\n\r\nHTTP/1.1 400 .*\r\n\r\n[^\n]+\n"), answer);
    }

    @Test
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
    void metricsAreForPrometheus() throws Exception {
        server.put("/v0/entity?id=metered", "x");
        HttpResponse<String> response = server.get("/metrics");
        assertEquals("text/plain; version=0.0.4; charset=utf-8", response.headers().firstValue("Content-Type").orElseThrow());
        String body = response.body();
        for (String line : List.of("lsm_puts_total \\d", "lsm_http_answers_total\\{status=\"201\"} \\d",
                "lsm_http_request_duration_seconds_bucket\\{method=\"PUT\",le=\"0.001\"} \\d", "lsm_http_request_duration_seconds_count\\{method=\"PUT\"} [1-9]", "lsm_table_bytes \\d", "lsm_stall_seconds_total \\d",
                "lsm_workers_rejected_total\\{part=\"clients\"} \\d", "jvm_gc_collection_seconds_count", "jvm_memory_used_bytes")) {
            assertTrue(Pattern.compile("^" + line, Pattern.MULTILINE).matcher(body).find(), line + " in " + body);
        }
    }

    @Test
    void statsTellOptionsAndCounts() throws Exception {
        JsonNode before = new ObjectMapper().readTree(server.get("/v0/stats").body());
        assertEquals(64 << 10, before.at("/options/flushThresholdBytes").asLong());
        assertEquals(workers, before.at("/options/workers").asText());
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
