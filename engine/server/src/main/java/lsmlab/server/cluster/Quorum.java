// SPDX-License-Identifier: Apache-2.0
package lsmlab.server.cluster;

import java.lang.foreign.MemorySegment;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.http.HttpTimeoutException;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import lsmlab.server.cluster.VersionedStore.Versioned;
import lsmlab.server.session.Exchange;
import lsmlab.server.session.Failures;
import lsmlab.server.trace.RequestTrace;
import lsmlab.server.wire.AckFrom;
import lsmlab.server.wire.Answer;
import lsmlab.server.wire.Request;
import lsmlab.server.wire.Request.Method;
import one.nio.pool.PoolException;

/**
 * Collects the replicas' replies to one request until there are enough to answer it, or there can't be any more. Later ones are ignored. To
 * collect them takes no memory, and whatever happens to the answer, nothing is thrown.
 */
final class Quorum {
    private static final Failure[] FAILURES = Failure.values();

    private final Request request;
    private final Exchange exchange;
    private final AckFrom ackFrom;
    private final Consumer<Failure> counter;
    private final long version;
    private final Runnable again;

    private int answers;
    private int failed;
    private final int[] failures = new int[FAILURES.length];
    private Versioned newest; // null: no replica has the key
    private boolean answered;
    private int replied; // of all replicas, whatever it was
    private Runnable whenAllHaveReplied = () -> {};

    /** Why a replica gave no answer that counts. */
    enum Failure {
        /** Nothing came in time. */
        TIMEOUT,
        /** No connection could be made. */
        UNREACHABLE,
        /** The connection broke. */
        CONNECTION,
        /** It has no room for the request (503), its store takes no writes, or too many requests wait for its answer already. */
        OVERLOADED,
        /** It answered with an error. */
        ERROR;

        static Failure of(Throwable failure) {
            return switch (failure) {
                case CompletionException e when e.getCause() != null -> of(e.getCause());
                case PoolException e when e.getCause() != null -> of(e.getCause()); // one-nio's client, while it connects
                case HttpTimeoutException _ -> TIMEOUT;
                case SocketTimeoutException _ -> TIMEOUT;
                case TimeoutException _ -> TIMEOUT;
                case ConnectException _ -> UNREACHABLE;
                case Peers.TooManyRequests _ -> OVERLOADED;
                case OutOfMemoryError _ -> OVERLOADED;
                default -> CONNECTION;
            };
        }

        String text() {
            return name().toLowerCase(Locale.ROOT);
        }

        static Map<Failure, AtomicLong> counters() {
            Map<Failure, AtomicLong> counters = new EnumMap<>(Failure.class);
            for (Failure failure : values()) {
                counters.put(failure, new AtomicLong());
            }
            return counters;
        }
    }

    /**
     * @param version of a write; 0 of a read
     * @param again asks the replicas with a higher version; null the second time
     * @param counter called for each failure
     */
    Quorum(Request request, Exchange exchange, AckFrom ackFrom, long version, Runnable again, Consumer<Failure> counter) {
        this.request = request;
        this.exchange = exchange;
        this.ackFrom = ackFrom;
        this.version = version;
        this.again = again;
        this.counter = counter;
    }

    /**
     * A replica has carried out a write or a read.
     *
     * @param node that has it
     * @param found by a read, null if the replica never had the key; by a write, a newer version that the replica had, so that the write changed
     *     nothing there, or null
     */
    void answered(int node, Versioned found) {
        countReply();
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
        end(node, true); // WHY not under the lock: sessions have one, too, and ask quorums under it
    }

    /** A replica gave no answer that counts. */
    void failed(int node, Failure failure) {
        counter.accept(failure);
        countReply();
        synchronized (this) {
            if (answered) {
                return;
            }
            failures[failure.ordinal()]++;
            failed++;
            answered = ackFrom.from() - failed < ackFrom.ack();
            if (!answered) {
                return;
            }
        }
        end(node, false);
    }

    private void end(int node, boolean enough) {
        RequestTrace.replied(exchange.trace(), node);
        try {
            if (enough) {
                answerRequest();
            } else {
                exchange.answer(failureAnswer());
            }
        } catch (RuntimeException | Error e) {
            exchange.giveUp(e);
        }
    }

    /** REQUIRES: no replica was asked yet. */
    void whenAllHaveReplied(Runnable task) {
        whenAllHaveReplied = task;
    }

    private void countReply() {
        boolean all;
        synchronized (this) {
            all = ++replied == ackFrom.from();
        }
        if (all) {
            whenAllHaveReplied.run();
        }
    }

    private void answerRequest() {
        if (request.method != Method.GET) {
            if (again != null && newest != null && newest.version() > version) {
                Thread.startVirtualThread(this::tryAgain); // WHY not here: another node's reply brought this thread, and it brings all the others
            } else {
                exchange.answer(Answer.written(request.method));
            }
        } else if (newest == null || newest.value() == null) {
            exchange.answer(Answer.NO_SUCH_ID);
        } else {
            answerValue(newest.value());
        }
    }

    private void tryAgain() {
        try {
            again.run();
        } catch (RuntimeException | Error e) {
            answerFailure(e);
        }
    }

    private void answerFailure(Throwable failure) {
        try {
            exchange.answer(Failures.answer(failure));
        } catch (RuntimeException | Error e) {
            exchange.giveUp(e);
        }
    }

    private void answerValue(byte[] value) {
        byte[] answer;
        try {
            answer = Answer.value(request, MemorySegment.ofArray(value), 0, value.length);
        } catch (RuntimeException | Error e) { // a large value may not fit into the heap once more; the client waits for something
            answerFailure(e);
            return;
        }
        exchange.answerValue(answer);
    }

    private Answer failureAnswer() {
        if (failures[Failure.OVERLOADED.ordinal()] == failed) {
            return Answer.text(503, "too many replicas are overloaded", "Retry-After: 1");
        }
        StringBuilder causes = new StringBuilder();
        for (Failure failure : FAILURES) {
            int count = failures[failure.ordinal()];
            if (count > 0) {
                causes.append(causes.isEmpty() ? "" : ", ").append(count).append(' ').append(failure.text());
            }
        }
        return Answer.text(504, "%d of %d replicas must answer, too many did not: %s".formatted(ackFrom.ack(), ackFrom.from(), causes));
    }
}
