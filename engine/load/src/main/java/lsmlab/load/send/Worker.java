// SPDX-License-Identifier: Apache-2.0
package lsmlab.load.send;

import java.io.IOException;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import lsmlab.load.count.IntervalLog;
import lsmlab.load.count.SlowRequests;
import lsmlab.load.count.Tally;
import lsmlab.load.plan.ConstantRate;
import lsmlab.load.plan.PoissonArrivals;
import lsmlab.load.plan.Schedule;
import lsmlab.load.plan.Settings;
import lsmlab.load.script.LuaScript;

/** One thread of load: an event loop over its connections, its own Lua state, its own {@link Tally}. Read its results after it ended. */
public final class Worker extends Thread {
    private static final long MILLI = 1_000_000;
    private static final long SECOND = 1_000_000_000;
    private static final long CHECK_NANOS = 100 * MILLI;
    private static final long SHORT_RUN_SAMPLE_NANOS = 100 * MILLI;

    /** Learns what happens in the worker's thread. */
    public interface Listener {
        /** Latencies count from now on, and Req/Sec is sampled this often. */
        void calibrated(double meanMicros, long intervalMillis);

        /** Another tenth of a second is over: {@link #answered} and {@link #behind} are new. */
        void checked();

        /** The worker ends; {@link #throwFailure} says why. */
        void failed();
    }

    private final Settings settings;
    private final SlowRequests slowRequests; // null: single requests are not kept
    private final Sender sender;
    private final long seed; // of exponential arrivals, the connection's number to be added
    private final Listener listener;
    private final long measureNanos; // what is due before is warm-up
    private final long stopNanos;
    private final Loop loop = new Loop();
    private final List<Connection> connections = new ArrayList<>();
    private volatile boolean stopAsked;
    private volatile long answered;
    private volatile double behind;
    private Throwable failure;

    private final Tally measured;
    private final Tally warmup; // thrown away; the same as the run's where there is no warm-up
    private long endNanos;
    private ThreadCost costBefore;

    private long calibrateAt;
    private boolean calibrated; // or too short for it: Req/Sec is sampled
    private long sampleNanos;
    private long sampleStart;
    private long sampleResponses;

    public Worker(int index, Settings settings, SocketAddress address, LuaScript script, int pipelineDepth, IntervalLog.Part log, long startNanos,
            Listener listener) throws IOException {
        super("load-" + index);
        this.settings = settings;
        this.listener = listener;
        this.measureNanos = startNanos + settings.span().warmupMillis() * MILLI;
        this.stopNanos = measureNanos + settings.span().durationSeconds() * SECOND;
        this.measured = new Tally(settings.span().durationSeconds() * SECOND, settings.counting().accepted());
        this.warmup = settings.span().warmupMillis() == 0 ? measured : new Tally(settings.span().warmupMillis() * MILLI, settings.counting().accepted());
        this.seed = settings.content().seed() == null ? startNanos : (long) settings.content().seed() * settings.connections();
        double slowest = settings.counting().slowest();
        this.slowRequests = slowest == 0 ? null : new SlowRequests(index, slowest, settings.requestsPerSecond() * settings.span().durationSeconds(), measureNanos);
        this.sender = new Sender(settings, script, pipelineDepth, log, slowRequests);
        sender.count(measured, warmup, measureNanos, Long.MAX_VALUE);
        for (int i = 0; i < settings.connectionsOf(index); i++) {
            Connection connection = new Connection(loop, sender, address);
            long connectAtNanos = startNanos + i * Schedule.START_STEP_NANOS;
            connection.follow(schedule(index + i * settings.threads(), connectAtNanos), stopNanos);
            connection.connectAt(connectAtNanos);
            connections.add(connection);
        }
        this.calibrateAt = warmup == measured ? startNanos + Schedule.CALIBRATION_NANOS + connections.size() * Schedule.START_STEP_NANOS : measureNanos;
        if (calibrateAt >= stopNanos) {
            // The run ends before its calibration would: Req/Sec is sampled from the start, where wrk2 prints -nan.
            calibrateAt = Long.MAX_VALUE;
            beginSampling(startNanos, SHORT_RUN_SAMPLE_NANOS);
        }
    }

    private Schedule schedule(int connection, long firstDueNanos) {
        double intervalNanos = SECOND * settings.connections() / settings.requestsPerSecond();
        return settings.rate().isPoisson() ? new PoissonArrivals(firstDueNanos, intervalNanos, seed + connection, measureNanos)
                : ConstantRate.of(firstDueNanos, intervalNanos, measureNanos);
    }

    /** When the last connection of a run starts, counted from the first one's start. */
    public static long lastStartNanos(Settings settings) {
        return (settings.connectionsOf(0) - 1) * Schedule.START_STEP_NANOS;
    }

    @Override
    public void run() {
        costBefore = ThreadCost.now();
        try {
            loop.begin();
            load();
        } catch (RuntimeException | IOException | Error e) {
            failure = e;
            listener.failed();
        } finally {
            end();
        }
    }

    private void load() throws IOException {
        long checkAt = System.nanoTime();
        long now = checkAt;
        while (now < stopNanos && !stopAsked) {
            long awakeNanos = now;
            now = loop.callDue(now);
            if (now >= checkAt) {
                for (int i = 0; i < connections.size(); i++) {
                    connections.get(i).checkTimeout(now);
                }
                answered = measured.requests;
                behind = dueUntil(now) - answered;
                listener.checked();
                checkAt = now + CHECK_NANOS;
            }
            sampleRate(now);
            long selectNanos = slowRequests == null ? 0 : System.nanoTime();
            long deadlineNanos = loop.select(Math.min(checkAt, Math.min(stopNanos, Math.min(calibrateAt, nextSample()))));
            now = System.nanoTime();
            if (slowRequests != null) {
                slowRequests.paused(awakeNanos, selectNanos);
                slowRequests.paused(Math.max(selectNanos, deadlineNanos), now);
            }
        }
    }

    /** Requests of the run, about. */
    private double dueUntil(long now) {
        return settings.requestsPerSecond() * connections.size() / settings.connections() * Math.max(0, now - measureNanos) / SECOND;
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
            ThreadCost.now().since(costBefore).addTo(measured);
        }
        loop.close();
    }

    private long nextSample() {
        return calibrated ? sampleStart + sampleNanos : Long.MAX_VALUE;
    }

    /** Calibration, or the end of the warm-up; after it the Req/Sec row, as wrk2 takes it. */
    private void sampleRate(long now) {
        if (now >= calibrateAt) {
            calibrate(now);
        } else if (now >= nextSample()) {
            measured.rates.add((sender.responses() - sampleResponses) * SECOND / (now - sampleStart));
            sampleStart = now;
            sampleResponses = sender.responses();
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
            if (slowRequests != null) {
                slowRequests.reset(now);
            }
        } else {
            costBefore = ThreadCost.now();
        }
        beginSampling(now, intervalMillis * MILLI);
    }

    private void beginSampling(long now, long everyNanos) {
        calibrated = true;
        sampleNanos = everyNanos;
        sampleStart = now;
        sampleResponses = sender.responses();
    }

    /** Responses received so far, those of a warm-up, too. For any thread. */
    public long responses() {
        return sender.responses();
    }

    /** Responses counted so far, a tenth of a second old at most. For any thread. */
    public long answered() {
        return answered;
    }

    /** Requests that were due and are not answered, about as old. For any thread. */
    public double behind() {
        return behind;
    }

    /** Ends the loop soon; any thread may ask. */
    public void askToStop() {
        stopAsked = true;
        loop.wake();
    }

    /** REQUIRES: the thread has ended, as for what follows. */
    public Tally measured() {
        return measured;
    }

    /** Null if single requests are not kept. */
    public SlowRequests slowRequests() {
        return slowRequests;
    }

    /** Responses before the run began; 0 where it began at once. */
    public long warmupRequests() {
        return warmup == measured ? 0 : warmup.requests;
    }

    /** When it ended, by System.nanoTime. */
    public long endNanos() {
        return endNanos;
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
