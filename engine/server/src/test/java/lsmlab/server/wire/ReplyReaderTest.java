// SPDX-License-Identifier: Apache-2.0
package lsmlab.server.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.net.ProtocolException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReplyReaderTest {
    private static final String REPLIES = "HTTP/1.1 200 OK\r\nX-Lsm-Version: 17\r\nContent-Length: 5\r\n\r\nhello"
            + "HTTP/1.1 404 Not Found\r\nDate: x\r\ncontent-length:0\r\n\r\n"
            + "HTTP/1.1 201 Created\nContent-Length: 0\n\n"
            + "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: 3\r\n\r\nno\n";
    private static final List<String> READ = List.of("200 17 'hello'", "404 0 ''", "201 0 ''", "503 0 'no\n' last");

    /** Feeds the pieces as a connection does: what was not taken of one comes again before the next. */
    private static List<String> read(List<byte[]> pieces) throws ProtocolException {
        ReplyReader reader = new ReplyReader();
        List<String> replies = new ArrayList<>();
        byte[] rest = {};
        for (byte[] piece : pieces) {
            byte[] buffer = Arrays.copyOf(rest, rest.length + piece.length);
            System.arraycopy(piece, 0, buffer, rest.length, piece.length);
            int at = 0;
            while (reader.read(buffer, at, buffer.length)) {
                at = reader.position();
                replies.add("%d %d '%s'%s".formatted(reader.status(), reader.version(), new String(reader.body(), StandardCharsets.UTF_8), reader.isLast() ? " last" : ""));
            }
            rest = Arrays.copyOfRange(buffer, reader.position(), buffer.length);
        }
        return replies;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    @Test
    void repliesAreTheSameHoweverTheyAreCut() throws ProtocolException {
        byte[] all = bytes(REPLIES);
        for (int cut = 0; cut <= all.length; cut++) {
            assertEquals(READ, read(List.of(Arrays.copyOf(all, cut), Arrays.copyOfRange(all, cut, all.length))));
        }
        List<byte[]> single = new ArrayList<>();
        for (byte one : all) {
            single.add(new byte[] {one});
        }
        assertEquals(READ, read(single));
    }

    @Test
    void whatTheServerAnswersIsRead() throws ProtocolException {
        Request request = new Request(new MemoryBudget(Long.MAX_VALUE));
        RequestReader requests = new RequestReader(request, 1 << 20);
        byte[] get = bytes("GET /v0/entity?id=a HTTP/1.1\r\nHost: x\r\n\r\n");
        assertTrue(requests.read(get, 0, get.length));
        byte[] value = bytes("value");
        List<byte[]> answers = List.of(Answer.versioned(200, 9, value).bytes(request), Answer.NO_SUCH_ID.bytes(request), Answer.value(request, MemorySegment.ofArray(value), 0, value.length),
                Answer.text(504, "late").lastBytes());
        assertEquals(List.of("200 9 'value'", "404 0 'no such id\n'", "200 0 'value'", "504 0 'late\n' last"), read(answers));
    }

    @ParameterizedTest
    @ValueSource(strings = {"nonsense\r\n\r\n", "HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n", "HTTP/1.1 20", "HTTP/1.1 200 OK\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n", "HTTP/1.1 200 OK\r\nno colon\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"})
    void whatIsNoReplyIsRefused(String text) throws ProtocolException {
        if (text.endsWith("\n")) {
            assertThrows(ProtocolException.class, () -> read(List.of(bytes(text))));
        } else {
            assertFalse(new ReplyReader().read(bytes(text), 0, text.length()), "it is not complete");
        }
    }
}
