// SPDX-License-Identifier: Apache-2.0
package lsmlab.load.send;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Responses that arrive byte by byte, the worst a network can do. */
class ResponseParserTest {
    private static String read(ResponseParser parser, String responses) throws IOException {
        StringBuilder seen = new StringBuilder();
        for (byte b : responses.getBytes(StandardCharsets.ISO_8859_1)) {
            if (parser.parse(ByteBuffer.wrap(new byte[] {b}))) {
                seen.append(parser.status()).append(':').append(parser.body()).append(parser.closes() ? "! " : " ");
            }
        }
        if (parser.endOfStream()) {
            seen.append(parser.status()).append(':').append(parser.body()).append("EOF");
        }
        return seen.toString();
    }

    @Test
    void everyWayAResponseEnds() throws IOException {
        assertEquals("200:hello 404: 204: 304: 200:abcdef 201:x! 200:to the endEOF", read(new ResponseParser(true), """
                HTTP/1.1 200 OK\r
                Content-Length: 5\r
                \r
                helloHTTP/1.1 404 Not Found\r
                content-length:0\r
                \r
                HTTP/1.1 204 No Content\r
                \r
                HTTP/1.1 304 Not Modified\r
                Content-Length: 100\r
                \r
                HTTP/1.1 100 Continue\r
                \r
                HTTP/1.1 200 OK\r
                TRANSFER-ENCODING: Chunked\r
                \r
                3\r
                abc\r
                3;note=1\r
                def\r
                0\r
                Trailer: t\r
                \r
                HTTP/1.0 201 Created\r
                Content-Length: 1\r
                \r
                xHTTP/1.1 200 OK\r
                \r
                to the end"""));
    }

    @Test
    void headersAreKeptAsReceived() throws IOException {
        ResponseParser parser = new ResponseParser(true);
        read(parser, "HTTP/1.1 200 OK\r\nX-Mixed-Case:  value \r\nContent-Length: 0\r\n\r\n");
        assertEquals("[X-Mixed-Case, value, Content-Length, 0]", parser.headers().toString());
    }

    @ParameterizedTest
    @ValueSource(strings = {"SSH-2.0-OpenSSH\r\n", "HTTP/2 200 OK ......\r\n", "HTTP/1.1 abc Not a status\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: many\r\n", "HTTP/1.1 200 OK\r\nContent-Length:\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n"})
    void whatIsNoHttp(String bytes) {
        assertThrows(IOException.class, () -> read(new ResponseParser(false), bytes));
    }

    @Test
    void anEndlessLineIsRefused() {
        assertTrue(assertThrows(IOException.class, () -> read(new ResponseParser(false), "x".repeat(100_000))).getMessage().contains("longer"));
    }
}
