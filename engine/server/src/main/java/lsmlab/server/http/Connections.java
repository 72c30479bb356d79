// SPDX-License-Identifier: Apache-2.0
package lsmlab.server.http;

import java.io.IOException;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.IntStream;
import lsmlab.server.session.Limits;
import lsmlab.server.session.LsmSession;
import lsmlab.server.wire.Answer;
import lsmlab.server.wire.Refused;
import one.nio.net.Selector;
import one.nio.net.Socket;
import one.nio.server.RejectedSessionException;

/**
 * The limit on connections. At the limit, a new connection replaces the one that has been idle longest. If none is idle, the server accepts a
 * few more: it serves requests from other nodes and for status, stats and metrics on them, and answers all others 503. Beyond those it answers
 * 503 at once and closes.
 */
public final class Connections {
    /** To find one that is still idle when it is closed. */
    private static final int MOST_TRIES = 8;

    private final LsmServer server;
    private final int limit;
    private final Refused refusal;
    private final LongAdder closedForRoom = new LongAdder();
    private final LongAdder refused = new LongAdder();
    private int accepted;

    Connections(LsmServer server, int limit) {
        this.server = server;
        this.limit = limit;
        refusal = new Refused(503, "there are %d connections, and none of them is idle".formatted(limit), "Retry-After: 1");
    }

    /** Whether it is one of those that are reserved. REQUIRES: one caller at a time. */
    boolean admit(Socket socket) throws RejectedSessionException {
        int open = server.getConnections();
        if (open < limit) {
            return false;
        }
        if (closeOneThatIsIdle()) {
            return open > limit; // it takes the place of one beyond the limit
        }
        if (open < limit + Limits.RESERVED_CONNECTIONS) {
            return true;
        }
        Answer answer = Answer.of(refusal());
        server.countAnswer(answer.status);
        byte[] bytes = answer.lastBytes();
        try {
            socket.write(bytes, 0, bytes.length, 0);
        } catch (IOException e) {
            // gone already
        }
        throw new RejectedSessionException("no room");
    }

    /**
     * For a new connection the selector with the fewest, in turn where several have as few. WHY not one-nio's own choice, the better of two that it draws: by chance
     * sixteen connections would share two selectors as ten and six, and each run of a load would have other response times. REQUIRES: one caller at a time.
     */
    Selector selector(List<Selector> selectors) {
        int first = accepted++;
        return IntStream.range(0, selectors.size()).mapToObj(i -> selectors.get(Math.floorMod(first + i, selectors.size()))).min(Comparator.comparingInt(Selector::size)).orElseThrow();
    }

    /** What a request gets on a reserved connection that is not for it. */
    Refused refusal() {
        refused.increment();
        return refusal;
    }

    private boolean closeOneThatIsIdle() {
        for (int tries = 0; tries < MOST_TRIES; tries++) {
            LsmSession oldest = null;
            long since = Long.MAX_VALUE;
            for (LsmSession session : (Iterable<LsmSession>) server.sessions()::iterator) {
                long accessed = session.touchedMillis(); // once: the selectors set it all the time
                if (accessed < since && session.seemsIdle()) {
                    oldest = session;
                    since = accessed;
                }
            }
            if (oldest == null) {
                return false;
            }
            if (oldest.seemsIdle() && oldest.closeIfIdle()) {
                closedForRoom.increment();
                return true;
            }
        }
        return false;
    }

    public int limit() {
        return limit;
    }

    public long closedForRoom() {
        return closedForRoom.sum();
    }

    public long refused() {
        return refused.sum();
    }
}
