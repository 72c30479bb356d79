// SPDX-License-Identifier: Apache-2.0
package lsmlab.load.send;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.function.Consumer;
import lsmlab.load.count.IntervalLog;
import lsmlab.load.count.Tally;
import lsmlab.load.plan.Schedule;
import lsmlab.load.plan.Settings;
import lsmlab.load.script.LuaScript;

/** One thread of load: an event loop over its connections, its own Lua state, its own {@link Tally}. Read its results after it ended. */
public final class Worker extends Thread {
    private static final long MILLI = 1_000_000;
    private static final long SECOND = 1_000_000_000;
    private static final long CHECK_NANOS = 100 * MILLI;
    private static final long SHORT_RUN_SAMPLE_NANOS = 100 * MILLI;
    private static final com.sun.management.ThreadMXBean THREADS = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();

    /** Learns what happens in the worker's thread. */
    public interface Listener {
        /** Latencies count from now on, and Req/Sec is sampled this often. */
        void calibrated(double meanMicros, long intervalMillis);

        /** The worker ends; {@link #throwFailure} says why. */
        void failed();
    }

    private final Settings settings;
    private final LuaScript script;
    private final int pipelineDepth;
    private final ByteBuffer staticRequest;
    private final boolean wantsResponses;
    private final Listener listener;
    private final IntervalLog.Part log; // null: no histogram log
    private final long measureNanos; // what is due before is warm-up
    private final long stopNanos;
    private final Selector selector = Selector.open();
    private final List<Connection> connections = new ArrayList<>();
    private final PriorityQueue<Connection> timers = new PriorityQueue<>(Comparator.comparingLong((Connection c) -> c.dueNanos));
    private final Consumer<SelectionKey> onReady = this::ready;
    private final ByteBuffer readBuffer = ByteBuffer.allocateDirect(256 << 10);
    private volatile boolean stopAsked;
    private volatile long answered;
    private Throwable failure;

    private final Tally measured;
    private final Tally warmup; // thrown away; the same as the run's where there is no warm-up
    private long endNanos;
    private long cpuStart;
    private long allocatedStart;

    private long calibrateAt;
    private boolean calibrated; // or too short for it: Req/Sec is sampled
    private long sampleNanos;
    private long sampleStart;
    private long sampleResponses;
    private long responses;

    public Worker(int index, Settings settings, SocketAddress address, LuaScript script, int pipelineDepth, IntervalLog.Part log, long startNanos,
            Listener listener) throws IOException {
        super("load-" + index);
        this.settings = settings;
        this.script = script;
        this.pipelineDepth = pipelineDepth;
        this.staticRequest = script.isStatic() ? script.request(ByteBuffer.allocateDirect(4096)).flip() : null;
        this.wantsResponses = script.wantsResponses();
        this.log = log;
        this.listener = listener;
        this.measureNanos = startNanos + settings.warmupMillis() * MILLI;
        this.stopNanos = measureNanos + settings.durationSeconds() * SECOND;
        this.measured = new Tally(settings.durationSeconds() * SECOND, settings.accepted());
        this.warmup = settings.warmupMillis() == 0 ? measured : new Tally(settings.warmupMillis() * MILLI, settings.accepted());
        double intervalNanos = SECOND * settings.connections() / settings.requestsPerSecond();
        for (int i = 0; i < settings.connectionsOf(index); i++) {
            connections.add(new Connection(this, address, intervalNanos, wantsResponses,
                    startNanos + i * Schedule.START_STEP_NANOS, measureNanos));
        }
        this.calibrateAt = warmup == measured ? startNanos + Schedule.CALIBRATION_NANOS + connections.size() * Schedule.START_STEP_NANOS : measureNanos;
        timers.addAll(connections);
        if (calibrateAt >= stopNanos) {
            // The run ends before its calibration would: Req/Sec is sampled from the start, where wrk2 prints -nan.
            calibrateAt = Long.MAX_VALUE;
            beginSampling(startNanos, SHORT_RUN_SAMPLE_NANOS);
        }
    }

    /** When the last connection of a run starts, counted from the first one's start. */
    public static long lastStartNanos(Settings settings) {
        return (settings.connectionsOf(0) - 1) * Schedule.START_STEP_NANOS;
    }

    @Override
    public void run() {
        takeCosts();
        try (Pacer pacer = new Pacer(selector, getName() + "-pacer")) {
            loop(pacer);
        } catch (RuntimeException | IOException | Error e) {
            failure = e;
            listener.failed();
        } finally {
            end();
        }
    }

    private void loop(Pacer pacer) throws IOException {
        long checkAt = System.nanoTime();
        long now = checkAt;
        while (now < stopNanos && !stopAsked) {
            long due = now; // fixed: connections that fail at once are due again soon, and with a moving time this loop might never end
            while (!timers.isEmpty() && timers.peek().dueNanos <= due) {
                timers.poll().onTime(now);
                now = System.nanoTime();
            }
            if (now >= checkAt) {
                for (int i = 0; i < connections.size(); i++) {
                    connections.get(i).checkTimeout(now);
                }
                answered = measured.requests;
                checkAt = now + CHECK_NANOS;
            }
            sampleRate(now);
            long next = Math.min(checkAt, Math.min(stopNanos, Math.min(calibrateAt, nextSample())));
            pacer.select(timers.isEmpty() ? next : Math.min(next, timers.peek().dueNanos), onReady);
            now = System.nanoTime();
        }
    }

    private void ready(SelectionKey key) {
        ((Connection) key.attachment()).onReady();
    }

    private void end() {
        endNanos = System.nanoTime();
        long planEnd = Math.min(endNanos, stopNanos);
        for (Connection connection : connections) {
            connection.addUnfinished(measured, planEnd, endNanos);
            measured.planned += connection.schedule().planned(planEnd);
            connection.close();
        }
        if (endNanos >= measureNanos) { // or nothing of the run was reached
            measured.cpuNanos = THREADS.getCurrentThreadCpuTime() - cpuStart;
            measured.allocatedBytes = THREADS.getCurrentThreadAllocatedBytes() - allocatedStart;
        }
        try {
            selector.close();
        } catch (IOException e) {
            // the run is over
        }
    }

    private void takeCosts() {
        cpuStart = THREADS.getCurrentThreadCpuTime();
        allocatedStart = THREADS.getCurrentThreadAllocatedBytes();
    }

    private long nextSample() {
        return calibrated ? sampleStart + sampleNanos : Long.MAX_VALUE;
    }

    /** Calibration, or the end of the warm-up; after it the Req/Sec row, as wrk2 takes it. */
    private void sampleRate(long now) {
        if (now >= calibrateAt) {
            calibrate(now);
        } else if (now >= nextSample()) {
            measured.rates.add((responses - sampleResponses) * SECOND / (now - sampleStart));
            sampleStart = now;
            sampleResponses = responses;
        }
    }

    private void calibrate(long now) {
        if (warmup == measured && measured.response.count() == 0) {
            calibrateAt = now + Schedule.CALIBRATION_NANOS;
            return;
        }
        calibrateAt = Long.MAX_VALUE;
        long intervalMillis = Math.max(warmup.response.percentile(90) * 2 / 1000, 10);
        listener.calibrated((long) warmup.response.mean(), intervalMillis);
        if (warmup == measured) {
            measured.resetLatencies();
        } else {
            takeCosts();
        }
        beginSampling(now, intervalMillis * MILLI);
    }

    private void beginSampling(long now, long everyNanos) {
        calibrated = true;
        sampleNanos = everyNanos;
        sampleStart = now;
        sampleResponses = responses;
    }

    /** The next request, ready to be written; {@code reuse} is the buffer of the connection's last one. */
    ByteBuffer nextRequest(ByteBuffer reuse) {
        if (staticRequest != null) {
            return reuse == null ? staticRequest.duplicate() : reuse.rewind();
        }
        return script.request(reuse == null ? ByteBuffer.allocateDirect(2048) : reuse.clear()).flip();
    }

    void sent(Tally tally, long requests, long lagNanos) {
        tally.sent += requests;
        tally.sendLag.record(lagNanos / 1000);
        if (log != null && tally == measured) {
            log.sent(lagNanos / 1000);
        }
    }

    void completed(Tally tally, ResponseParser parser, long intendedNanos, long sentNanos, long now, boolean lastOfBatch) {
        responses++;
        boolean recorded = lastOfBatch || !settings.batchLatency();
        long responseMicros = (now - intendedNanos) / 1000;
        long serviceMicros = (now - sentNanos) / 1000;
        tally.completed(parser.status(), recorded, intendedNanos - measureNanos, responseMicros, serviceMicros);
        if (recorded && log != null && tally == measured) {
            log.completed(parser.status(), responseMicros, serviceMicros);
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

    /** @param counted whether what happens is of the run rather than of its warm-up */
    Tally tally(boolean counted) {
        return counted ? measured : warmup;
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

    /** Responses counted so far, a tenth of a second old at most. For any thread. */
    public long answered() {
        return answered;
    }

    /** Ends the loop soon; any thread may ask. */
    public void askToStop() {
        stopAsked = true;
        selector.wakeup();
    }

    /** REQUIRES: the thread has ended, as for what follows. */
    public Tally measured() {
        return measured;
    }

    /** Responses before the run began; 0 where it began at once. */
    public long warmupRequests() {
        return warmup == measured ? 0 : warmup.requests;
    }

    /** From the beginning of what is counted to the end. */
    public long measuredNanos() {
        return endNanos - measureNanos;
    }

    /** Throws what ended the thread early, a script's mistake most likely. */
    public void throwFailure() throws IOException {
        switch (failure) {
            case null -> {}
            case RuntimeException e -> throw e;
            case Error e -> throw e;
            case Throwable e -> throw new IOException(e);
        }
    }
}
