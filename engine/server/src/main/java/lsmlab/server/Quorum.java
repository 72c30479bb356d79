// SPDX-License-Identifier: Apache-2.0
package lsmlab.server;

import java.lang.foreign.MemorySegment;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.http.HttpTimeoutException;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import lsmlab.server.Request.Method;
import lsmlab.server.VersionedStore.Versioned;
import one.nio.pool.PoolException;

/** Replies of replicas to one request of a client, until there are enough to answer it, or can't be any more. Later ones count for nothing. */
final class Quorum {
    private final Request request;
    private final AckFrom ackFrom;
    private final Consumer<Failure> counter;

    private int answers;
    private final Map<Failure, Integer> failures = new EnumMap<>(Failure.class);
    private Versioned newest; // null: no replica has the key
    private boolean answered;

    /** Why a replica gave no answer that counts. */
    enum Failure {
        /** Nothing came in time. */
        TIMEOUT,
        /** Nobody listens there. */
        UNREACHABLE,
        /** The connection broke. */
        CONNECTION,
        /** It has no room for the request (503), or its store takes no writes. */
        OVERLOADED,
        /** It answered with an error. */
        ERROR;

        static Failure of(Throwable failure) {
            return switch (failure) {
                case CompletionException e when e.getCause() != null -> of(e.getCause());
                case PoolException e when e.getCause() != null -> of(e.getCause()); // one-nio's client, while it connects
                case HttpTimeoutException _, SocketTimeoutException _, TimeoutException _ -> TIMEOUT;
                case ConnectException _ -> UNREACHABLE;
                default -> CONNECTION;
            };
        }

        String text() {
            return name().toLowerCase(Locale.ROOT);
        }

        static Map<Failure, LongAdder> counters() {
            Map<Failure, LongAdder> counters = new EnumMap<>(Failure.class);
            for (Failure failure : values()) {
                counters.put(failure, new LongAdder());
            }
            return counters;
        }
    }

    /** @param counter is told of each failure */
    Quorum(Request request, AckFrom ackFrom, Consumer<Failure> counter) {
        this.request = request;
        this.ackFrom = ackFrom;
        this.counter = counter;
    }

    /** A replica has carried out a write, or has found this; null if it never had the key. */
    void answered(Versioned found) {
        synchronized (this) {
            if (answered) {
                return;
            }
            answers++;
            if (found != null && (newest == null || found.version() > newest.version())) {
                newest = found;
            }
            answered = answers == ackFrom.ack();
            if (!answered) {
                return;
            }
        }
        answerRequest(); // WHY not under the lock: sessions have one, too, and ask quorums under it
    }

    void failed(Failure failure) {
        counter.accept(failure);
        synchronized (this) {
            if (answered) {
                return;
            }
            failures.merge(failure, 1, Integer::sum);
            answered = ackFrom.from() - count() < ackFrom.ack();
            if (!answered) {
                return;
            }
        }
        request.session().answer(failureAnswer());
    }

    private int count() {
        return failures.values().stream().mapToInt(Integer::intValue).sum();
    }

    private void answerRequest() {
        LsmSession session = request.session();
        if (request.method != Method.GET) {
            session.answer(Answer.written(request.method));
        } else if (newest == null || newest.value() == null) {
            session.answer(Answer.NO_SUCH_ID);
        } else {
            answerValue(session, newest.value());
        }
    }

    private static void answerValue(LsmSession session, byte[] value) {
        byte[] answer;
        try {
            answer = session.valueReader().read(MemorySegment.ofArray(value), 0, value.length);
        } catch (RuntimeException | Error e) { // a large value may not fit into the heap once more; the client waits for something
            session.answer(Failures.answer(e));
            return;
        }
        session.answerValue(answer);
    }

    private Answer failureAnswer() {
        if (failures.keySet().equals(EnumSet.of(Failure.OVERLOADED))) {
            return Answer.text(503, "too many replicas are overloaded", "Retry-After: 1");
        }
        StringBuilder causes = new StringBuilder();
        failures.forEach((failure, count) -> causes.append(causes.isEmpty() ? "" : ", ").append(count).append(' ').append(failure.text()));
        return Answer.text(504, "%d of %d replicas must answer, too many did not: %s".formatted(ackFrom.ack(), ackFrom.from(), causes));
    }
}
