// SPDX-License-Identifier: Apache-2.0
package lsmlab.load;

import java.io.IOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/** One thread of load: an event loop over its connections, its own Lua state, its own histograms. Read its results after it ended. */
final class Worker extends Thread {
    private static final long MILLI = 1_000_000;
    private static final long SECOND = 1_000_000_000;
    /** wrk2's calibration: latencies up to here are thrown away, if the run is longer. */
    private static final long CALIBRATION_NANOS = 10 * SECOND;
    private static final long START_STEP_NANOS = 5 * MILLI;
    private static final long TIMEOUT_CHECK_NANOS = 100 * MILLI;
    private static final int STATUSES = 1000;

    private final Settings settings;
    private final LuaScript script;
    private final int pipelineDepth;
    private final ByteBuffer staticRequest;
    private final boolean wantsResponses;
    private final TextReport report;
    private final Runnable onFailure;
    private final long startNanos;
    private final long stopNanos;
    private final Selector selector = Selector.open();
    private final List<Connection> connections = new ArrayList<>();
    private final PriorityQueue<Connection> timers = new PriorityQueue<>(Comparator.comparingLong((Connection c) -> c.dueNanos));
    private final ByteBuffer readBuffer = ByteBuffer.allocateDirect(256 << 10);
    private volatile boolean stopAsked;
    private Throwable failure;

    final Latencies response = new Latencies();
    final Latencies service = new Latencies();
    final Latencies sendLag = new Latencies();
    final RateSamples rates = new RateSamples();
    final Timeline timeline;
    final Connection.Backlog backlog = new Connection.Backlog();
    final long[] statuses = new long[STATUSES];
    long planned;
    long requests;
    long readBytes;
    long connectErrors;
    long readErrors;
    long writeErrors;
    long timeouts;
    long endNanos;

    private long calibrateAt;
    private long sampleNanos;
    private long sampleStart;
    private long sampleRequests;
    private boolean calibrated;

    Worker(int index, Settings settings, SocketAddress address, LuaScript script, int pipelineDepth, TextReport report, long startNanos,
            Runnable onFailure) throws IOException {
        super("load-" + index);
        this.settings = settings;
        this.script = script;
        this.pipelineDepth = pipelineDepth;
        this.staticRequest = script.isStatic() ? script.request(ByteBuffer.allocateDirect(4096)).flip() : null;
        this.wantsResponses = script.wantsResponses();
        this.report = report;
        this.startNanos = startNanos;
        this.onFailure = onFailure;
        this.stopNanos = startNanos + settings.durationSeconds() * SECOND;
        this.timeline = new Timeline(settings.durationSeconds() * SECOND);
        double intervalNanos = SECOND * settings.connections() / settings.requestsPerSecond();
        for (int i = 0; i < settings.connectionsOf(index); i++) {
            connections.add(new Connection(this, address, intervalNanos, wantsResponses, startNanos + i * START_STEP_NANOS));
        }
        this.calibrateAt = startNanos + CALIBRATION_NANOS + connections.size() * START_STEP_NANOS;
        timers.addAll(connections);
    }

    @Override
    public void run() {
        try (Pacer pacer = new Pacer(selector, getName() + "-pacer")) {
            loop(pacer);
        } catch (RuntimeException | IOException | Error e) {
            failure = e;
            onFailure.run();
        } finally {
            endNanos = System.nanoTime();
            for (Connection connection : connections) {
                long planEnd = Math.min(endNanos, stopNanos);
                connection.addUnfinished(backlog, planEnd, endNanos);
                planned += connection.planned(planEnd);
                connection.close();
            }
            closeSelector();
        }
    }

    private void closeSelector() {
        try {
            selector.close();
        } catch (IOException e) {
            // the run is over
        }
    }

    private void loop(Pacer pacer) throws IOException {
        long checkAt = startNanos;
        long now = System.nanoTime();
        while (now < stopNanos && !stopAsked) {
            while (!timers.isEmpty() && timers.peek().dueNanos <= now) {
                timers.poll().onTime(now);
                now = System.nanoTime();
            }
            if (now >= checkAt) {
                for (Connection connection : connections) {
                    connection.checkTimeout(now);
                }
                checkAt = now + TIMEOUT_CHECK_NANOS;
            }
            sampleRate(now);
            long next = Math.min(checkAt, Math.min(stopNanos, Math.min(calibrateAt, nextSample())));
            pacer.select(timers.isEmpty() ? next : Math.min(next, timers.peek().dueNanos));
            now = System.nanoTime();
            for (var key : selector.selectedKeys()) {
                ((Connection) key.attachment()).onReady(now);
            }
            selector.selectedKeys().clear();
            now = System.nanoTime();
        }
    }

    private long nextSample() {
        return calibrated ? sampleStart + sampleNanos : Long.MAX_VALUE;
    }

    /** Calibration, and after it the Req/Sec row, as wrk2 takes it. */
    private void sampleRate(long now) {
        if (now >= calibrateAt && response.count() == 0) {
            calibrateAt = now + CALIBRATION_NANOS;
        } else if (now >= calibrateAt) {
            calibrateAt = Long.MAX_VALUE;
            long intervalMillis = Math.max(response.percentile(90) * 2 / 1000, 10);
            report.calibrated((long) response.mean(), intervalMillis);
            response.reset();
            service.reset();
            sendLag.reset();
            calibrated = true;
            sampleNanos = intervalMillis * MILLI;
            sampleStart = now;
            sampleRequests = requests;
        } else if (now >= nextSample()) {
            rates.add((requests - sampleRequests) * SECOND / (now - sampleStart));
            sampleStart = now;
            sampleRequests = requests;
        }
    }

    /** The next request, ready to be written; {@code reuse} is the buffer of the connection's last one. */
    ByteBuffer nextRequest(ByteBuffer reuse) {
        if (staticRequest != null) {
            return reuse == null ? staticRequest.duplicate() : reuse.rewind();
        }
        return script.request(reuse == null ? ByteBuffer.allocateDirect(2048) : reuse.clear()).flip();
    }

    void sent(long lagNanos) {
        sendLag.record(lagNanos / 1000);
    }

    void completed(ResponseParser parser, long intendedNanos, long sentNanos, long now, boolean lastOfBatch) {
        requests++;
        statuses[parser.status()]++;
        if (lastOfBatch || !settings.batchLatency()) {
            long responseMicros = (now - intendedNanos) / 1000;
            long serviceMicros = (now - sentNanos) / 1000;
            response.record(responseMicros);
            service.record(serviceMicros);
            timeline.record(intendedNanos - startNanos, responseMicros, serviceMicros);
        }
        if (wantsResponses) {
            script.response(parser.status(), parser.headers(), parser.body());
        }
    }

    void callOnTime(Connection connection) {
        timers.add(connection);
    }

    void dequeue(Connection connection) {
        timers.remove(connection);
    }

    Selector selector() {
        return selector;
    }

    ByteBuffer readBuffer() {
        return readBuffer;
    }

    long timeoutNanos() {
        return settings.timeoutSeconds() * SECOND;
    }

    int pipelineDepth() {
        return pipelineDepth;
    }

    /** Ends the loop soon; any thread may ask. */
    void askToStop() {
        stopAsked = true;
        selector.wakeup();
    }

    /** Throws what ended the thread early, a script's mistake most likely. */
    void throwFailure() throws IOException {
        switch (failure) {
            case null -> { }
            case RuntimeException e -> throw e;
            case Error e -> throw e;
            case Throwable e -> throw new IOException(e);
        }
    }
}
