// SPDX-License-Identifier: Apache-2.0
package lsmlab.server.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import lsmlab.server.cluster.Peers.Question;
import lsmlab.server.cluster.Peers.Reply;
import lsmlab.server.session.Exchange;
import lsmlab.server.store.Store;
import lsmlab.server.trace.RequestTrace;
import lsmlab.server.wire.Answer;
import lsmlab.server.wire.MemoryBudget;
import lsmlab.server.wire.Request;
import lsmlab.server.wire.RequestReader;
import lsmlab.storage.Engine;
import lsmlab.storage.options.Options;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What goes wrong between the nodes: each request gets one answer, and the budget gets its share back. */
class CoordinatorTest {
    private static final List<String> URLS = List.of("http://a:1", "http://b:2", "http://c:3");
    private static final byte[] BODY = "v".repeat(8_000).getBytes(StandardCharsets.US_ASCII);

    @TempDir
    Path folder;

    private final MemoryBudget memory = new MemoryBudget(1 << 20);
    private final Request request = new Request(memory);
    private final List<String> answers = new ArrayList<>();
    private final List<CompletableFuture<Reply>> asked = new ArrayList<>();
    private boolean outOfMemoryInAnswer;
    private Engine engine;

    /** The last one asked runs out of memory; the others reply when a test says so. */
    private final class LastFails implements Peers {
        @Override
        public CompletableFuture<Reply> ask(int node, Question question) {
            if (node == URLS.size() - 1) {
                throw new OutOfMemoryError("on purpose");
            }
            asked.add(new CompletableFuture<>());
            return asked.getLast();
        }

        @Override
        public boolean blocks() {
            return false;
        }

        @Override
        public void close() {}
    }

    private final Exchange exchange = new Exchange() {
        @Override
        public void answer(Answer answer) {
            if (outOfMemoryInAnswer) {
                throw new OutOfMemoryError("on purpose");
            }
            answers.add(Integer.toString(answer.status));
        }

        @Override
        public void answerValue(byte[] made) {
            answers.add("value");
        }

        @Override
        public RequestTrace trace() {
            return null;
        }

        @Override
        public void giveUp(Throwable because) {
            answers.add("given up");
        }
    };

    @BeforeEach
    void open() throws Exception {
        engine = Engine.open(folder, Options.defaults());
    }

    @AfterEach
    void close() throws Exception {
        engine.close();
    }

    /** Of three nodes, one of which is this one. */
    private void put() {
        byte[] bytes = ("PUT /v0/entity?id=k HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n".formatted(BODY.length)).getBytes(StandardCharsets.US_ASCII);
        byte[] whole = new byte[bytes.length + BODY.length];
        System.arraycopy(bytes, 0, whole, 0, bytes.length);
        System.arraycopy(BODY, 0, whole, bytes.length, BODY.length);
        assertTrue(new RequestReader(request, 1 << 20).read(whole, 0, whole.length));
        Clock clock = new Clock(0);
        Sharding.Placement all = (_, _, count) -> IntStream.range(0, count).toArray();
        new Coordinator(URLS, 0, all, new LastFails(), true, new VersionedStore(Store.of(engine), clock), clock).entity(request, exchange);
        request.release();
    }

    @Test
    void aNodeThatCanNotBeAskedIsOneThatFailed() {
        put();
        assertEquals(List.of(), answers, "it waits for the other one");
        asked.getFirst().complete(new Reply(201, 0, null));
        assertEquals(List.of("201"), answers);
        assertEquals(0, memory.usedBytes());
    }

    @Test
    void aReplyThatCanNotBeUnderstoodIsOneThatFailed() {
        put();
        asked.getFirst().complete(null);
        assertEquals(List.of("504"), answers);
        assertEquals(0, memory.usedBytes());
    }

    @Test
    void aReplyThatDoesNotComeInTimeIsOneThatFailed() {
        put();
        asked.getFirst().complete(Peers.TIMED_OUT);
        assertEquals(List.of("504"), answers);
        assertEquals(0, memory.usedBytes());
    }

    @Test
    void aRequestThatCanNotBeAnsweredIsGivenUp() {
        outOfMemoryInAnswer = true;
        put();
        asked.getFirst().complete(new Reply(201, 0, null));
        assertEquals(List.of("given up"), answers);
        assertEquals(0, memory.usedBytes());
    }
}
