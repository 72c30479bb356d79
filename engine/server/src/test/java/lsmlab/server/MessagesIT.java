// SPDX-License-Identifier: Apache-2.0
package lsmlab.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.net.Socket;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** HTTP itself: heads, bodies, what follows what, and what is refused. */
@ParameterizedClass
@ValueSource(strings = {"sync", "pool", "virtual"})
class MessagesIT extends OneNode {
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
}
