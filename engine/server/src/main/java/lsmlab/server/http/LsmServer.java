// SPDX-License-Identifier: Apache-2.0
package lsmlab.server.http;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import lsmlab.server.session.Failures;
import lsmlab.server.session.Handling;
import lsmlab.server.session.Limits;
import lsmlab.server.session.LsmSession;
import lsmlab.server.session.Route;
import lsmlab.server.session.SessionOwner;
import lsmlab.server.trace.RequestLog;
import lsmlab.server.trace.RequestTrace;
import lsmlab.server.trace.RequestTrace.Stage;
import lsmlab.server.trace.Tracing;
import lsmlab.server.wire.Answer;
import lsmlab.server.wire.MemoryBudget;
import lsmlab.server.wire.Parameter;
import lsmlab.server.wire.Refused;
import lsmlab.server.wire.Request;
import lsmlab.server.workers.Workers;
import one.nio.net.Session;
import one.nio.net.Socket;
import one.nio.server.AcceptorConfig;
import one.nio.server.RejectedSessionException;
import one.nio.server.Server;
import one.nio.server.ServerConfig;

/**
 * The HTTP contract: {@code /v0/entity}, {@code /v0/entities}, {@code /v0/status}, {@code /v0/stats}, {@code /metrics}. A request goes
 * from its {@link LsmSession} through {@link #handle} to {@link Workers}, which {@link #process} it. Every error has one line of text that says
 * what was wrong.
 */
public final class LsmServer extends Server implements SessionOwner {
    private static final Answer NO_ROOM = Answer.text(503, "all workers are busy and no more requests may wait", "Retry-After: 1");
    private static final Answer UNDER_WAY = Answer.text(503, "the same was asked already, and is not done yet", "Retry-After: 1");
    private static final long STOP_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final long STOP_LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(2);
    private static final int STATUSES = 600;
    /** Bodies and large answers may take one part in this many of the heap. */
    private static final int HEAP_SHARE = 4;

    private final Entities entities;
    private final Workers clientWorkers;
    private final Workers peerWorkers;
    private final Limits limits;
    private final boolean sync;
    private final Statistics statistics;
    private final Tracing tracing; // null: requests are not traced
    private final LongAdder[] answersByStatus = IntStream.range(0, STATUSES).mapToObj(status -> new LongAdder()).toArray(LongAdder[]::new);
    private final RequestTimes times = new RequestTimes();
    private final OpenRanges ranges;
    private final Connections connections;
    private final MemoryBudget memory;
    private final LongTask space = new LongTask("space");
    private final LongTask dump = new LongTask("dump");
    private volatile boolean stopping;

    /** What {@code /v0/stats} and {@code /metrics} show. */
    public interface Statistics {
        /** As JSON. */
        byte[] stats(boolean withSpace) throws IOException;

        byte[] metrics() throws IOException;
    }

    /**
     * @param workers "clients" handles requests of clients, "peers" those that other nodes coordinate; separate, because a shared queue
     *     could deadlock the nodes
     * @param tracing of requests; null: none
     */
    public LsmServer(ServerConfig config, Limits limits, Entities entities, Map<String, Workers> workers, boolean sync,
            Statistics statistics, Tracing tracing) throws IOException {
        super(config);
        this.limits = limits;
        this.entities = entities;
        this.sync = sync;
        clientWorkers = workers.get("clients");
        peerWorkers = workers.getOrDefault("peers", clientWorkers);
        this.statistics = statistics;
        this.tracing = tracing;
        ranges = new OpenRanges(limits.ranges());
        connections = new Connections(this, limits.connections());
        memory = new MemoryBudget(Math.max(Runtime.getRuntime().maxMemory() / HEAP_SHARE, 2L * limits.maxBodyBytes()));
    }

    public static ServerConfig config(String host, int port, int selectors) {
        AcceptorConfig acceptor = new AcceptorConfig();
        acceptor.address = host;
        acceptor.port = port;
        acceptor.backlog = 1024;
        acceptor.reusePort = false; // or two servers would share the port unnoticed
        ServerConfig config = config(acceptor);
        config.selectors = selectors;
        return config;
    }

    private static ServerConfig config(AcceptorConfig... acceptors) {
        ServerConfig config = new ServerConfig();
        config.acceptors = acceptors;
        config.keepAlive = Limits.CHECK_MILLIS;
        config.closeSessions = true;
        return config;
    }

    @Override
    public synchronized void start() {
        LoopGuard guard = new LoopGuard(this::isStopping);
        for (Thread[] threads : List.of(acceptors, selectors, new Thread[] {cleanup})) {
            for (Thread thread : threads) {
                thread.setUncaughtExceptionHandler(guard);
            }
        }
        super.start();
    }

    /** Runs in the one thread that accepts connections. */
    @Override
    public Session createSession(Socket socket) throws RejectedSessionException {
        return new LsmSession(socket, this, connections.admit(socket));
    }

    /** Runs in that thread, too. */
    @Override
    protected void register(Session session) {
        connections.selector(Arrays.stream(selectors).map(thread -> thread.selector).toList()).register(session);
    }

    /** All that are open. */
    Stream<LsmSession> sessions() {
        return Arrays.stream(selectors).flatMap(thread -> StreamSupport.stream(thread.selector.spliterator(), false)).map(LsmSession.class::cast);
    }

    public Connections connections() {
        return connections;
    }

    @Override
    public MemoryBudget memory() {
        return memory;
    }

    @Override
    public Limits limits() {
        return limits;
    }

    @Override
    public boolean isSync() {
        return sync;
    }

    @Override
    public boolean isStopping() {
        return stopping;
    }

    @Override
    public RequestLog requests() {
        return tracing == null ? null : tracing.requests();
    }

    @Override
    public void handle(Handling handling) {
        handling.begin();
        Request request = handling.request;
        if (handling.session.reserved) {
            request.keepAlive &= request.isFromPeer(); // the next request needs the place
            if (!mayUseReserved(handling)) {
                handling.session.answer(Answer.of(connections.refusal()));
                return;
            }
        }
        if (handling.route != Route.ENTITY && handling.route != Route.ENTITIES) {
            LongTask task = handling.route == Route.REQUESTS ? dump : measuresSpace(handling) ? space : null;
            if (task == null) {
                process(handling);
            } else if (!task.begin(handling)) {
                handling.session.answer(UNDER_WAY);
            }
            return;
        }
        try {
            (request.isFromPeer() ? peerWorkers : clientWorkers).execute(handling);
        } catch (RejectedExecutionException e) {
            handling.session.answer(NO_ROOM);
        }
    }

    private static boolean measuresSpace(Handling handling) {
        return handling.route == Route.STATS && handling.request.has(Parameter.SPACE) && handling.request.method == Request.Method.GET;
    }

    /** The next measurement may begin before the answer is sent: the same client may ask for it at once. */
    private byte[] stats(boolean withSpace) throws IOException {
        try {
            return statistics.stats(withSpace);
        } finally {
            if (withSpace) {
                space.ended();
            }
        }
    }

    /** Requests of other nodes, and those for status, stats and metrics. */
    private static boolean mayUseReserved(Handling handling) {
        return handling.request.isFromPeer() || handling.route == Route.STATUS || handling.route == Route.STATS || handling.route == Route.METRICS || handling.route == Route.REQUESTS;
    }

    @Override
    public void checkReserved(Request request) {
        if (!request.isFromPeer()) {
            throw connections.refusal();
        }
    }

    @Override
    public void process(Handling handling) {
        Request request = handling.request;
        try {
            switch (handling.route) {
                case ENTITY -> entities.entity(request, handling.session);
                case ENTITIES -> range(handling);
                case STATUS -> get(handling, () -> Answer.SERVING);
                case STATS -> get(handling, () -> Answer.document("application/json", stats(request.has(Parameter.SPACE))));
                case METRICS -> get(handling, () -> Answer.document("text/plain; version=0.0.4; charset=utf-8", statistics.metrics()));
                case REQUESTS -> requests(handling);
                case null -> throw Refused.badRequest("no such path: " + request.path());
            }
        } catch (IOException | RuntimeException | Error e) {
            handling.session.answer(Failures.answer(e));
        }
    }

    private interface Content {
        Answer get() throws IOException;
    }

    private static void get(Handling handling, Content content) throws IOException {
        if (handling.request.method != Request.Method.GET) {
            throw Entities.wrongMethod("GET");
        }
        handling.session.answer(content.get());
    }

    private void range(Handling handling) throws IOException {
        Request request = handling.request;
        RequestTrace.passed(handling.session.trace(), Stage.STORE);
        stream(handling, () -> {
            MemorySegment from = request.keyOf(Parameter.START);
            return entities.range(from, request.has(Parameter.END) ? request.keyOf(Parameter.END) : null);
        });
    }

    private void requests(Handling handling) throws IOException {
        if (tracing == null) {
            throw new Refused(404, "requests are not traced: --trace-requests N keeps the last N");
        }
        InetSocketAddress client = handling.session.socket().getRemoteAddress();
        if (client == null || !client.getAddress().isLoopbackAddress()) {
            throw new Refused(403, "the trace of requests is for this machine only");
        }
        stream(handling, () -> TraceDump.open(tracing, handling.request, dump));
    }

    private interface Opening {
        RangeStream.Records open() throws IOException;
    }

    private void stream(Handling handling, Opening opening) throws IOException {
        if (handling.request.method != Request.Method.GET) {
            throw Entities.wrongMethod("GET");
        }
        if (!handling.request.http11) {
            throw new Refused(505, "this is answered in chunks, which HTTP/1.0 does not have");
        }
        RangeStream answer = ranges.open(opening.open(), handling.request.keepAlive && !stopping, handling.session); // with its first records
        RequestTrace.passed(handling.session.trace(), Stage.STORED);
        handling.session.send(200, answer);
    }

    @Override
    public void countAnswer(int status) {
        answersByStatus[status].increment();
    }

    @Override
    public void countAnswer(Handling handling, int status) {
        countAnswer(status);
        if (handling.route == Route.ENTITY) {
            times.record(handling.request.method, handling.nanos());
        }
    }

    public RequestTimes times() {
        return times;
    }

    /** Ranges that are being answered and hold a scan. */
    public OpenRanges ranges() {
        return ranges;
    }

    public Map<Integer, Long> answersByStatus() {
        Map<Integer, Long> answers = new TreeMap<>();
        for (int status = 0; status < STATUSES; status++) {
            long count = answersByStatus[status].sum();
            if (count > 0) {
                answers.put(status, count);
            }
        }
        return answers;
    }

    /** Takes no more connections, lets requests that have begun to arrive be answered, and closes everything. */
    @Override
    public synchronized void stop() {
        stopping = true;
        try {
            reconfigure(config()); // without acceptors
        } catch (IOException e) {
            Failures.report(e);
        }
        long deadline = System.nanoTime() + STOP_NANOS;
        while (!closeIdleSessions() && System.nanoTime() < deadline) {
            LockSupport.parkNanos(STOP_LOOK_NANOS);
        }
        while (space.isUnderWay() || dump.isUnderWay()) {
            LockSupport.parkNanos(STOP_LOOK_NANOS); // it reads the store, which is closed next
        }
        super.stop();
    }

    /** Returns whether none is left. */
    private boolean closeIdleSessions() {
        return sessions().map(LsmSession::closeIfIdle).reduce(true, Boolean::logicalAnd);
    }
}
