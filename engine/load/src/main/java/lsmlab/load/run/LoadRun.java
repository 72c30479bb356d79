// SPDX-License-Identifier: Apache-2.0
package lsmlab.load.run;

import java.io.IOException;
import java.io.PrintStream;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import lsmlab.load.count.IntervalLog;
import lsmlab.load.count.SlowRequests;
import lsmlab.load.count.Tally;
import lsmlab.load.machine.ProcessClock;
import lsmlab.load.machine.TimerSlack;
import lsmlab.load.plan.Addresses;
import lsmlab.load.plan.Settings;
import lsmlab.load.report.TextReport;
import lsmlab.load.report.Units;
import lsmlab.load.result.LoadResult;
import lsmlab.load.result.TargetCpu;
import lsmlab.load.result.TracedRequests;
import lsmlab.load.script.LuaScript;
import lsmlab.load.script.Scripts;
import lsmlab.load.send.Worker;

/** One run from set-up to result: connects once to see that the port is open, prepares the scripts, runs the workers, adds them up. */
public final class LoadRun implements AutoCloseable, Worker.Listener {
    private static final long START_DELAY_NANOS = 50_000_000;
    private static final long START_DELAY_A_THREAD_NANOS = 5_000_000;
    private static final long MILLI = 1_000_000;
    private static final long SECOND = 1_000_000_000;

    private final Settings settings;
    private final TextReport report;
    private final PrintStream terminal; // null: no line of progress
    private final ProcessClock target; // null: its processor time is not asked for
    private final Runnable whenInterrupted;
    private final List<Worker> workers = new ArrayList<>();
    private Scripts scripts;
    private IntervalLog log; // null: none
    private IOException logFailure; // null: none
    private long startNanos;
    private Tally total;
    private TargetCpu targetCpu; // null: not known
    private Findings findings;
    private long runtimeMicros;
    private volatile boolean abandoned; // because it is not sustained

    /**
     * @param terminal where a line shows progress; null: nowhere
     * @param target the clock of the server's process; null: its processor time is not asked for
     * @param whenInterrupted called when the JVM goes down during the run and the workers have been asked to stop; it goes down when this returns
     */
    public LoadRun(Settings settings, TextReport report, PrintStream terminal, ProcessClock target, Runnable whenInterrupted) {
        this.settings = settings;
        this.report = report;
        this.terminal = terminal;
        this.target = target;
        this.whenInterrupted = whenInterrupted;
    }

    /** Throws IOException when the port is not open, {@link LuaScript.ScriptException} when a script is wrong. */
    public LoadResult run() throws IOException, InterruptedException {
        prepare();
        long pausesBefore = pauses();
        long pauseMillisBefore = pauseMillis();
        Thread interrupted = new Thread(() -> {
            stop();
            whenInterrupted.run();
        }, "interrupted");
        Runtime.getRuntime().addShutdownHook(interrupted);
        report.start(settings.span().durationSeconds(), settings.url().toString(), settings.threads(), settings.connections()); // just before it begins
        workers.forEach(Thread::start);
        CpuReadings cpu = target == null ? null : new CpuReadings(target, this::responses, measureNanos());
        try (cpu; ProgressLine _ = terminal == null ? null : new ProgressLine(terminal, settings, workers, measureNanos())) {
            for (Worker worker : workers) {
                worker.join();
            }
        } finally {
            closeLog();
        }
        targetCpu = cpu == null ? null : cpu.found();
        try {
            Runtime.getRuntime().removeShutdownHook(interrupted);
        } catch (IllegalStateException e) {
            // the JVM is going down and the hook runs; what was measured until now is reported
        }
        for (Worker worker : workers) {
            worker.throwFailure();
        }
        runtimeMicros = Math.max(1, workers.stream().mapToLong(Worker::measuredNanos).max().orElseThrow() / 1000);
        total = new Tally(settings.span().durationSeconds() * SECOND, settings.counting().accepted());
        workers.forEach(worker -> total.add(worker.measured()));
        return result(pauses() - pausesBefore, pauseMillis() - pauseMillisBefore);
    }

    private long responses() {
        return workers.stream().mapToLong(Worker::responses).sum();
    }

    private static long pauses() {
        return ManagementFactory.getGarbageCollectorMXBeans().stream().mapToLong(GarbageCollectorMXBean::getCollectionCount).sum();
    }

    private static long pauseMillis() {
        return ManagementFactory.getGarbageCollectorMXBeans().stream().mapToLong(GarbageCollectorMXBean::getCollectionTime).sum();
    }

    private long measureNanos() {
        return startNanos + settings.span().warmupMillis() * MILLI;
    }

    private void prepare() throws IOException {
        scripts = new Scripts(settings, Addresses.answering(settings.url().getHost(), settings.port()), this::stop);
        TimerSlack.reduce();
        startNanos = System.nanoTime() + START_DELAY_NANOS + settings.threads() * START_DELAY_A_THREAD_NANOS;
        log = settings.counting().hlog() == null ? null : new IntervalLog(settings.counting().hlog(), settings.url().toString(), settings.threads(), measureNanos());
        for (int i = 0; i < settings.threads(); i++) {
            workers.add(new Worker(i, settings, scripts.address(i), scripts.of(i), scripts.pipelineDepth(),
                    log == null ? null : log.part(i), startNanos, this));
        }
    }

    @Override
    public void close() {
        if (scripts != null) {
            scripts.close();
        }
    }

    /** Before the run there is nothing to stop, as in wrk2. */
    private void stop(int thread) {
        if (thread < workers.size()) {
            workers.get(thread).askToStop();
        }
    }

    @Override
    public void calibrated(double meanMicros, long intervalMillis) {
        report.calibrated(meanMicros, intervalMillis);
    }

    @Override
    public void checked() {
        if (settings.rate().endsUnsustained() && workers.stream().mapToDouble(Worker::behind).sum() > mostBehind()) {
            abandoned = true;
            stop();
        }
    }

    /** Requests: what a sustained run may leave unanswered, but not less than a second's, since a stall that short may pass. */
    private double mostBehind() {
        return settings.requestsPerSecond() * Math.max(1, (1 - LoadResult.SUSTAINED_SHARE) * settings.span().durationSeconds());
    }

    @Override
    public void failed() {
        stop();
    }

    private void stop() {
        workers.forEach(Worker::askToStop);
    }

    private LoadResult result(long gcPauses, long gcMillis) {
        double seconds = runtimeMicros / 1e6;
        double busyShare = workers.stream().mapToDouble(worker -> worker.measured().cpuNanos / 1e9 / seconds).max().orElseThrow();
        LoadResult.Cost cost = Findings.cost(total, busyShare, gcPauses, gcMillis);
        findings = new Findings(settings, total, runtimeMicros, cost, targetCpu);
        return findings.result(workers.stream().mapToLong(Worker::warmupRequests).sum());
    }

    /** The requests that {@code --slowest} keeps. */
    public TracedRequests traced() {
        return SlowRequests.of(workers.stream().map(Worker::slowRequests).toList(), settings.counting().slowest(), workers.stream().mapToLong(Worker::endNanos).max().orElseThrow());
    }

    /** What the text leaves out, a line each. */
    public List<String> remarks(LoadResult result) {
        List<String> remarks = findings.remarks(result);
        if (abandoned) {
            remarks.add("ended after %s: too many requests waited".formatted(Units.seconds(result.seconds(), 1)));
        }
        return remarks;
    }

    /** Keeps a failure for {@link #checkLog}, so that the report is printed first. */
    private void closeLog() {
        try {
            if (log != null) {
                log.close();
            }
        } catch (IOException e) {
            logFailure = e;
        }
    }

    /** Throws if the {@code --hlog} file could not be written completely. */
    public void checkLog() throws IOException {
        if (logFailure != null) {
            throw logFailure;
        }
    }

    /** Prints what wrk2 prints after a run, then calls the script's done(). */
    public void print(LoadResult result, boolean latency, boolean uncorrected) {
        report.summary(total.response, total.rates);
        if (latency) {
            report.distribution("Recorded Latency", total.response);
        }
        if (uncorrected) {
            report.blankLine();
            report.distribution("Uncorrected Latency (measured without taking delayed starts into account)", total.service);
        }
        report.totals(result.requests(), runtimeMicros, result.readBytes(), result.errors());
        scripts.main().done(summary(result), total.response, total.rates);
    }

    private Map<String, Object> summary(LoadResult result) {
        LoadResult.Errors errors = result.errors();
        Map<String, Object> summary = new LinkedHashMap<>();
        summary.put("duration", runtimeMicros);
        summary.put("requests", result.requests());
        summary.put("bytes", result.readBytes());
        summary.put("errors", Map.of("connect", errors.connect(), "read", errors.read(), "write", errors.write(),
                "timeout", errors.timeout(), "status", errors.status()));
        return summary;
    }
}
