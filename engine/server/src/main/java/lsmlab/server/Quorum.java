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

/** Collects the replicas' replies to one request until there are enough to answer it, or there can't be any more. Later ones are ignored. */
final class Quorum {
    private final Request request;
    private final Exchange exchange;
    private final AckFrom ackFrom;
    private final Consumer<Failure> counter;
    private final long version;
    private final Runnable again;

    private int answers;
    private final Map<Failure, Integer> failures = new EnumMap<>(Failure.class);
    private Versioned newest; // null: no replica has the key
    private boolean answered;
    private int replied; // of all replicas, whatever it was
    private Runnable whenAllHaveReplied = () -> { };

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
                case HttpTimeoutException _, SocketTimeoutException _, TimeoutException _ -> TIMEOUT;
                case ConnectException _ -> UNREACHABLE;
                case Peers.TooManyRequests _ -> OVERLOADED;
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
     * A replica has carried out a write, or has found this; null if it never had the key. Of a write: what it has that is newer, and the write
     * has changed nothing there.
     */
    void answered(Versioned found) {
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
        end(this::answerRequest); // WHY not under the lock: sessions have one, too, and ask quorums under it
    }

    void failed(Failure failure) {
        counter.accept(failure);
        countReply();
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
        end(() -> exchange.answer(failureAnswer()));
    }

    private void end(Runnable answer) {
        try {
            answer.run();
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

    private int count() {
        return failures.values().stream().mapToInt(Integer::intValue).sum();
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
            exchange.answer(Failures.answer(e));
        }
    }

    private void answerValue(byte[] value) {
        byte[] answer;
        try {
            answer = Answer.value(request, MemorySegment.ofArray(value), 0, value.length);
        } catch (RuntimeException | Error e) { // a large value may not fit into the heap once more; the client waits for something
            exchange.answer(Failures.answer(e));
            return;
        }
        exchange.answerValue(answer);
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
