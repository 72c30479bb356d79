// SPDX-License-Identifier: Apache-2.0
package lsmlab.server.cluster;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import lsmlab.server.cluster.Peers.Question;
import lsmlab.server.cluster.Peers.Reply;
import lsmlab.server.cluster.VersionedStore.Versioned;
import lsmlab.server.http.Entities;
import lsmlab.server.http.RangeStream;
import lsmlab.server.session.Exchange;
import lsmlab.server.session.Failures;
import lsmlab.server.trace.RequestTrace;
import lsmlab.server.trace.RequestTrace.Stage;
import lsmlab.server.wire.AckFrom;
import lsmlab.server.wire.Answer;
import lsmlab.server.wire.MemoryBudget;
import lsmlab.server.wire.PercentCode;
import lsmlab.server.wire.Refused;
import lsmlab.server.wire.Request;
import lsmlab.server.wire.Request.Method;
import lsmlab.server.wire.RequestReader;

/**
 * A node of a cluster. It passes a client's request to the replicas of the key, itself among them or not, and answers when enough of them
 * have. It answers another node's request from its own store.
 */
public final class Coordinator implements Entities {
    private static final long NO_VERSION = 0;
    private static final int CONFLICT = 409;
    private static final int MAX_PATH_BYTES = RequestReader.MAX_LINE_BYTES - 64; // the method and the version stand in the line, too

    private final int self;
    private final int nodes;
    private final Sharding.Placement placement;
    private final Peers peers;
    private final boolean selfFirst;
    private final VersionedStore store;
    private final Clock clock;
    private final AtomicBoolean warnedOfClock = new AtomicBoolean();

    private final LongAdder coordinated = new LongAdder();
    private final LongAdder askedOthers = new LongAdder();
    private final Map<Quorum.Failure, AtomicLong> failures = Quorum.Failure.counters();

    /**
     * @param selfFirst this node's replica is asked before the others, because asking them means to wait, or because the thread that asks is
     *     a selector and has its connection locked, so that replies would wait for this node's store
     */
    public Coordinator(List<String> urls, int self, Sharding.Placement placement, Peers peers, boolean selfFirst, VersionedStore store, Clock clock) {
        this.selfFirst = selfFirst;
        this.self = self;
        nodes = urls.size();
        this.placement = placement;
        this.peers = peers;
        this.store = store;
        this.clock = clock;
    }

    @Override
    public void entity(Request request, Exchange exchange) {
        MemorySegment key = request.id();
        if (request.method == Method.HEAD || request.method == Method.OTHER) {
            throw Entities.wrongMethod("GET, PUT, DELETE");
        }
        byte[] id = key.toArray(JAVA_BYTE);
        if (request.isFromPeer()) {
            exchange.answer(asReplica(request, exchange.trace(), key, Sharding.hash(id)));
        } else {
            coordinate(request, exchange, id);
        }
    }

    private Answer asReplica(Request request, RequestTrace trace, MemorySegment key, long keyHash) {
        RequestTrace.passed(trace, Stage.STORE);
        if (request.method == Method.GET) {
            Versioned found = store.get(key);
            RequestTrace.passed(trace, Stage.STORED);
            if (found == null) {
                return Answer.NO_SUCH_ID;
            }
            return found.value() == null ? Answer.versioned(404, found.version(), new byte[0]) : Answer.versioned(200, found.version(), found.value());
        }
        if (request.replicaVersion == NO_VERSION) {
            throw Refused.badRequest("a write to a replica needs its version in " + Peers.REPLICA_HEADER);
        }
        if (clock.isAhead(request.replicaVersion)) {
            throw new Refused(CONFLICT, "the version is more than %d minutes ahead of this node's clock".formatted(Clock.MOST_AHEAD.toMinutes()));
        }
        boolean clocksAgree = clock.isNear(request.replicaVersion);
        long newest = store.apply(key, keyHash, request.replicaVersion, request.method == Method.PUT ? request.bodyToKeep() : null, RequestTrace.ofWrite(trace),
                clocksAgree);
        RequestTrace.passed(trace, Stage.STORED);
        clock.saw(newest);
        Answer written = Answer.written(request.method);
        return newest == request.replicaVersion ? written : Answer.versioned(written.status, newest, new byte[0]); // the coordinator's clock catches up
    }

    /** Once the first replica is asked the request may be answered at any moment, and nothing of it is read any more. */
    private void coordinate(Request request, Exchange exchange, byte[] id) {
        AckFrom ackFrom = AckFrom.of(request, nodes);
        long version = request.method == Method.GET ? NO_VERSION : clock.next();
        byte[] body = request.method == Method.PUT ? request.bodyToKeep() : null;
        Question question = new Question(request.method, "/v0/entity?id=" + PercentCode.encode(id), version, body);
        if (question.path().length() > MAX_PATH_BYTES) {
            throw Refused.badRequest("the id takes more than %d bytes when it is encoded for another node".formatted(MAX_PATH_BYTES));
        }
        coordinated.increment();
        ask(request, exchange, ackFrom, id, question, true);
    }

    /**
     * WHY twice: if this node's clock is behind, the write gets a lower version than an older write, and would be lost although it is acknowledged.
     * The first round shows the newest version that a majority already had. The clock then passes it, so the second round's version is higher.
     * Any newer version that the second round meets belongs to a concurrent write, which may count as the later one.
     */
    private void ask(Request request, Exchange exchange, AckFrom ackFrom, byte[] id, Question question, boolean isFirst) {
        long keyHash = Sharding.hash(id);
        int[] replicas = placement.replicas(id, keyHash, ackFrom.from());
        Runnable again = !isFirst ? null
                : () -> ask(request, exchange, ackFrom, id, new Question(question.method(), question.path(), clock.next(), question.body()), false);
        Quorum quorum = new Quorum(request, exchange, ackFrom, question.version(), again, failure -> failures.get(failure).incrementAndGet());
        boolean own = Arrays.stream(replicas).anyMatch(node -> node == self);
        holdBody(request, quorum, question.body());
        RequestTrace.passed(exchange.trace(), Stage.ASKED);
        // From here on nothing is thrown: replicas may reply to a request that was answered otherwise, and is another by then.
        if (own && selfFirst) {
            askSelf(quorum, id, keyHash, question, exchange.trace());
        }
        for (int node : replicas) {
            if (node != self) {
                askOther(quorum, node, question);
            }
        }
        if (own && !selfFirst) {
            askSelf(quorum, id, keyHash, question, null); // the others may have answered the request by now
        }
    }

    /** A copy of the body goes to the other nodes, and stays until the slowest of them has replied. */
    private static void holdBody(Request request, Quorum quorum, byte[] body) {
        if (body != null && body.length > MemoryBudget.UNCOUNTED_BYTES) {
            MemoryBudget memory = request.memory();
            Runnable giveBack = () -> memory.giveBack(body.length); // made first: there may be no memory for it
            memory.take(body.length, body.length);
            quorum.whenAllHaveReplied(giveBack);
        }
    }

    private void askOther(Quorum quorum, int node, Question question) {
        try {
            askedOthers.increment();
            peers.ask(node, question).handle((reply, failure) -> replied(quorum, node, question.method(), reply, failure));
        } catch (RuntimeException | Error e) {
            failed(quorum, node, e);
        }
    }

    /** Counts once in the quorum, whatever happens. */
    private Void replied(Quorum quorum, int node, Method method, Reply reply, Throwable failure) {
        try {
            if (failure == null) {
                replied(quorum, node, method, reply);
            } else {
                quorum.failed(node, Quorum.Failure.of(failure));
            }
        } catch (RuntimeException | Error e) { // before the quorum was called, which throws nothing
            failed(quorum, node, e);
        }
        return null;
    }

    private static void failed(Quorum quorum, int node, Throwable e) {
        quorum.failed(node, e instanceof OutOfMemoryError || e instanceof Refused refused && refused.status == 503 ? Quorum.Failure.OVERLOADED : Quorum.Failure.ERROR);
        Failures.report(e);
    }

    private void replied(Quorum quorum, int node, Method method, Reply reply) {
        if (reply == Peers.TIMED_OUT) {
            quorum.failed(node, Quorum.Failure.TIMEOUT);
            return;
        }
        boolean found = reply.status() == 200 && reply.version() != NO_VERSION;
        boolean carriedOut = method == Method.GET ? found || reply.status() == 404 : reply.status() == Answer.written(method).status;
        if (!carriedOut || reply.version() < 0) {
            if (reply.status() == CONFLICT) {
                warnOfClock("another node refuses versions that this node gives: its clock is");
            }
            quorum.failed(node, reply.status() == 503 ? Quorum.Failure.OVERLOADED : Quorum.Failure.ERROR);
            return;
        }
        if (clock.isAhead(reply.version())) { // that node's clock is wrong, or was when it took this
            warnOfClock("another node has versions that are");
            quorum.failed(node, Quorum.Failure.ERROR);
            return;
        }
        clock.saw(reply.version());
        quorum.answered(node, reply.version() == NO_VERSION ? null : new Versioned(reply.version(), found ? reply.body() : null));
    }

    /** @param trace of the request, which is not answered before this returns; null: none */
    private void askSelf(Quorum quorum, byte[] id, long keyHash, Question question, RequestTrace trace) {
        Versioned found = null;
        RequestTrace.passed(trace, Stage.STORE);
        try {
            MemorySegment key = MemorySegment.ofArray(id);
            if (question.method() == Method.GET) {
                found = store.get(key);
            } else {
                long newest = store.apply(key, keyHash, question.version(), question.body(), RequestTrace.ofWrite(trace), nodes == 1);
                found = newest == question.version() ? null : new Versioned(newest, null);
            }
            RequestTrace.passed(trace, Stage.STORED);
            if (found != null && clock.isAhead(found.version())) {
                warnOfClock("this node has versions that are");
                quorum.failed(self, Quorum.Failure.ERROR);
                return;
            }
            clock.saw(found == null ? NO_VERSION : found.version());
        } catch (RuntimeException | Error e) {
            failed(quorum, self, e);
            return;
        }
        quorum.answered(self, found);
    }

    private void warnOfClock(String what) {
        if (!warnedOfClock.getAndSet(true)) {
            System.err.printf("lsm-server: %s more than %d minutes ahead: compare the clocks of the nodes%n", what, Clock.MOST_AHEAD.toMinutes());
        }
    }

    @Override
    public RangeStream.Records range(MemorySegment from, MemorySegment to) {
        return store.range(from, to);
    }

    /** What {@code /v0/stats} shows of the cluster. */
    public Map<String, Object> stats() {
        Map<String, Object> stats = new LinkedHashMap<>();
        stats.put("nodes", nodes);
        stats.put("coordinated", coordinated.sum());
        stats.put("askedOthers", askedOthers.sum());
        Map<String, Long> byCause = new LinkedHashMap<>();
        failures.forEach((failure, count) -> byCause.put(failure.text(), count.get()));
        stats.put("failuresByCause", byCause);
        return stats;
    }
}
