// SPDX-License-Identifier: Apache-2.0
package lsmlab.server.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RequestReaderTest {
    private static final int MAX_BODY = 1 << 20;
    private static final String REQUESTS = "\r\nPUT /v0/entity?id=%41b+c&ack=1 HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello"
            + "GET /v0/entity?x=y&id=z HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, close\r\n\r\n"
            + "PUT /v0/entity?id=k HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nX-Lsm-Replica: 17\r\n\r\n3\r\nabc\r\nA;x=\"y\"\r\n0123456789\r\n0\r\nT: x\r\n\r\n"
            + "DELETE /v0/entity?id=%F0%9F%94%91&ID=no HTTP/1.0\nAccept: */*\n\n"
            + "PUT /e HTTP/1.1\r\nHost: x\r\ncontent-length:\t0 \r\n\r\n";
    private static final List<String> READ = List.of("PUT /v0/entity [Ab c] ack=1 'hello' keep", "GET /v0/entity [z] ack=null '' close",
            "PUT /v0/entity [k] ack=null 'abc0123456789' keep replica 17", "DELETE /v0/entity [\ud83d\udd11] ack=null '' close", "PUT /e [] ack=null '' keep");

    private final Request request = new Request(new MemoryBudget(Long.MAX_VALUE));
    private final RequestReader reader = new RequestReader(request, MAX_BODY);

    /** Feeds the pieces as a session does: what was not taken of one comes again before the next. */
    private List<String> read(List<byte[]> pieces) {
        List<String> requests = new ArrayList<>();
        byte[] rest = {};
        for (byte[] piece : pieces) {
            byte[] buffer = Arrays.copyOf(rest, rest.length + piece.length);
            System.arraycopy(piece, 0, buffer, rest.length, piece.length);
            int at = 0;
            while (reader.read(buffer, at, buffer.length)) {
                at = reader.position();
                requests.add(shown());
            }
            rest = Arrays.copyOfRange(buffer, reader.position(), buffer.length);
        }
        assertEquals(0, rest.length);
        assertFalse(reader.isInside());
        return requests;
    }

    private String shown() {
        String id = request.has(Parameter.ID) ? new String(request.id().toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8) : "";
        String body = new String(request.bodyToKeep(), StandardCharsets.UTF_8);
        assertEquals(body, new String(request.body().toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8));
        return "%s %s [%s] ack=%s '%s' %s%s".formatted(request.method, request.path(), id, request.text(Parameter.ACK), body,
                request.keepAlive ? "keep" : "close", request.isFromPeer() ? " replica " + request.replicaVersion : "");
    }

    @Test
    void requestsAreTheSameHoweverTheyAreCut() {
        byte[] bytes = REQUESTS.getBytes(StandardCharsets.ISO_8859_1);
        assertEquals(READ, read(List.of(bytes)));
        for (int cut = 1; cut < bytes.length; cut++) {
            assertEquals(READ, read(List.of(Arrays.copyOf(bytes, cut), Arrays.copyOfRange(bytes, cut, bytes.length))), "cut at " + cut);
        }
        Random random = new Random(1);
        for (int round = 0; round < 1_000; round++) {
            List<byte[]> pieces = new ArrayList<>();
            for (int at = 0; at < bytes.length;) {
                int end = Math.min(bytes.length, at + 1 + random.nextInt(1 + random.nextInt(40)));
                pieces.add(Arrays.copyOfRange(bytes, at, end));
                at = end;
            }
            assertEquals(READ, read(pieces), "round " + round);
        }
    }

    @Test
    void largeBodiesTakeMemoryAsTheyArrive() {
        byte[] head = "PUT /e HTTP/1.1\r\nHost: x\r\nContent-Length: 1048576\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
        assertFalse(reader.read(head, 0, head.length));
        byte[] some = new byte[100];
        assertFalse(reader.read(some, 0, some.length));
        assertEquals(64 << 10, request.roomForBody(0, MAX_BODY, true).length);
        byte[] rest = new byte[MAX_BODY - 100];
        Arrays.fill(rest, (byte) 'x');
        assertTrue(reader.read(rest, 0, rest.length));
        assertEquals(MAX_BODY, request.body().byteSize());
        request.letGo(true);
        byte[] next = "PUT /e HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\ny".getBytes(StandardCharsets.US_ASCII);
        assertTrue(reader.read(next, 0, next.length));
        assertTrue(request.roomForBody(0, 1, true).length <= 64 << 10, "a large buffer is let go");
        assertEquals("y", new String(request.bodyToKeep(), StandardCharsets.US_ASCII));
    }

    @Test
    void aRequestLikeTheOneBeforeAllocatesNothing() {
        byte[] put = ("PUT /v0/entity?id=keyNumber123 HTTP/1.1\r\nHost: localhost:8080\r\nContent-Length: 690\r\n\r\n" + "v".repeat(690)).getBytes(StandardCharsets.US_ASCII);
        byte[] get = "GET /v0/entity?id=keyNumber456 HTTP/1.1\r\nHost: localhost:8080\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
        int requests = 20_000;
        long perRequest = Long.MAX_VALUE;
        for (int attempt = 0; attempt < 30 && perRequest > 64; attempt++) { // until the JIT compiler has come to it
            long before = allocated();
            for (int i = 0; i < requests; i += 2) {
                assertTrue(reader.read(put, 0, put.length) && request.id().byteSize() == 12 && request.body().byteSize() == 690);
                assertTrue(reader.read(get, 0, get.length) && request.id().byteSize() == 12);
            }
            perRequest = (allocated() - before) / requests;
        }
        // The slice of the body is made anew when a GET came between; nothing else is.
        assertTrue(perRequest <= 64, perRequest + " bytes a request");
    }

    private static long allocated() {
        return ((ThreadMXBean) ManagementFactory.getThreadMXBean()).getCurrentThreadAllocatedBytes();
    }

    @Test
    void linesHaveALimitHoweverTheyArrive() {
        byte[] line = ("GET /" + "x".repeat(RequestReader.MAX_LINE_BYTES)).getBytes(StandardCharsets.US_ASCII);
        assertEquals(414, assertThrows(Refused.class, () -> reader.read(line, 0, line.length)).status);
    }
}
