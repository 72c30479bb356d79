// SPDX-License-Identifier: Apache-2.0
package lsmlab.load.run;

import java.io.IOException;
import java.io.PrintStream;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import lsmlab.load.count.IntervalLog;
import lsmlab.load.count.Tally;
import lsmlab.load.machine.TimerSlack;
import lsmlab.load.plan.Addresses;
import lsmlab.load.plan.Settings;
import lsmlab.load.report.TextReport;
import lsmlab.load.result.LoadResult;
import lsmlab.load.script.LuaScript;
import lsmlab.load.script.Requests;
import lsmlab.load.send.Worker;

/** One run from set-up to result: connects once to see that the port is open, prepares the scripts, runs the workers, adds them up. */
public final class LoadRun implements AutoCloseable, Worker.Listener {
    private static final long START_DELAY_NANOS = 50_000_000;
    private static final long START_DELAY_A_THREAD_NANOS = 5_000_000;
    private static final long MILLI = 1_000_000;
    private static final long SECOND = 1_000_000_000;
    private static final long SEED_STEP = 10_000;

    private final Settings settings;
    private final TextReport report;
    private final PrintStream terminal; // null: no line of progress
    private final Runnable whenInterrupted;
    private final List<Worker> workers = new ArrayList<>();
    private final List<LuaScript> scripts = new ArrayList<>();
    private LuaScript mainScript;
    private IntervalLog log; // null: none
    private IOException logFailure; // null: none
    private long startNanos;
    private Tally total;
    private Findings findings;
    private long runtimeMicros;
    private boolean wasInterrupted;

    /**
     * @param terminal where a line shows progress; null: nowhere
     * @param whenInterrupted called when the JVM goes down during the run and the workers have been asked to stop; it goes down when this returns
     */
    public LoadRun(Settings settings, TextReport report, PrintStream terminal, Runnable whenInterrupted) {
        this.settings = settings;
        this.report = report;
        this.terminal = terminal;
        this.whenInterrupted = whenInterrupted;
    }

    /** Throws IOException when the port is not open, {@link LuaScript.ScriptException} when a script is wrong. */
    public LoadResult run() throws IOException, InterruptedException {
        prepare(probe());
        long pausesBefore = pauses();
        long pauseMillisBefore = pauseMillis();
        Thread interrupted = new Thread(() -> {
            stop();
            whenInterrupted.run();
        }, "interrupted");
        Runtime.getRuntime().addShutdownHook(interrupted);
        report.start(settings.durationSeconds(), settings.url().toString(), settings.threads(), settings.connections()); // just before it begins
        workers.forEach(Thread::start);
        try (ProgressLine _ = terminal == null ? null : new ProgressLine(terminal, settings, workers, measureNanos())) {
            for (Worker worker : workers) {
                worker.join();
            }
        } finally {
            closeLog();
        }
        try {
            Runtime.getRuntime().removeShutdownHook(interrupted);
        } catch (IllegalStateException e) {
            wasInterrupted = true; // the JVM is going down and the hook runs; what was measured until now is reported
        }
        for (Worker worker : workers) {
            worker.throwFailure();
        }
        runtimeMicros = Math.max(1, workers.stream().mapToLong(Worker::measuredNanos).max().orElseThrow() / 1000);
        total = new Tally(settings.durationSeconds() * SECOND, settings.accepted());
        workers.forEach(worker -> total.add(worker.measured()));
        return result(pauses() - pausesBefore, pauseMillis() - pauseMillisBefore);
    }

    /** Whether the process is being stopped: only the report may follow. */
    boolean wasInterrupted() {
        return wasInterrupted;
    }

    private static long pauses() {
        return ManagementFactory.getGarbageCollectorMXBeans().stream().mapToLong(GarbageCollectorMXBean::getCollectionCount).sum();
    }

    private static long pauseMillis() {
        return ManagementFactory.getGarbageCollectorMXBeans().stream().mapToLong(GarbageCollectorMXBean::getCollectionTime).sum();
    }

    private long measureNanos() {
        return startNanos + settings.warmupMillis() * MILLI;
    }

    /** Those of the host's addresses that answer, at least one. */
    private List<InetSocketAddress> probe() throws IOException {
        List<InetSocketAddress> addresses;
        try {
            addresses = Addresses.of(settings.url().getHost(), settings.port());
        } catch (UnknownHostException e) {
            throw new IOException("unable to resolve " + settings.url().getHost(), e);
        }
        List<InetSocketAddress> answering = new ArrayList<>();
        IOException failure = null;
        for (InetSocketAddress address : addresses) {
            IOException refused = Addresses.connect(address);
            if (refused == null) {
                answering.add(address);
            } else {
                failure = refused;
            }
        }
        if (answering.isEmpty()) {
            throw new IOException("unable to connect to %s:%d %s".formatted(settings.url().getHost(), settings.port(), failure.getMessage()), failure);
        }
        return answering;
    }

    /** All scripts run before the clock starts, so that a slow init() costs no measured time. */
    private void prepare(List<InetSocketAddress> addresses) throws IOException {
        mainScript = newScript(0);
        mainScript.setAddresses(addresses.stream().map(Addresses::text).toList());
        List<LuaScript.Peer> peers = new ArrayList<>();
        for (int i = 0; i < settings.threads(); i++) {
            int thread = i;
            scripts.add(newScript(i + 1));
            peers.add(new LuaScript.Peer(Addresses.text(addresses.getFirst()), () -> stop(thread)));
            mainScript.setup(scripts.get(i), peers.get(i));
            scripts.get(i).init(settings.url().toString(), settings.scriptArguments());
        }
        // As wrk2 does: thread 0 makes one request that is not sent, to see how many a call of request() holds.
        int depth = Requests.count(scripts.getFirst().request(ByteBuffer.allocateDirect(4096)).flip());
        TimerSlack.reduce();
        startNanos = System.nanoTime() + START_DELAY_NANOS + settings.threads() * START_DELAY_A_THREAD_NANOS;
        log = settings.hlog() == null ? null : new IntervalLog(settings.hlog(), settings.url().toString(), settings.threads(), measureNanos());
        for (int i = 0; i < scripts.size(); i++) {
            workers.add(new Worker(i, settings, Addresses.parse(peers.get(i).address()), scripts.get(i), depth,
                    log == null ? null : log.part(i), startNanos, this));
        }
    }

    /** @param number a seed gives each state a stream of its own */
    private LuaScript newScript(int number) throws IOException {
        Long seed = settings.seed() == null ? null : (long) settings.seed() * SEED_STEP + number;
        return new LuaScript(settings.url(), settings.script(), settings.headers(), seed);
    }

    /** Ends the scripts' states; done() needs those of the threads until then. */
    @Override
    public void close() {
        scripts.forEach(LuaScript::close);
        if (mainScript != null) {
            mainScript.close();
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
    public void failed() {
        stop();
    }

    private void stop() {
        workers.forEach(Worker::askToStop);
    }

    private LoadResult result(long gcPauses, long gcMillis) {
        double seconds = runtimeMicros / 1e6;
        double busyShare = workers.stream().mapToDouble(worker -> worker.measured().cpuNanos / 1e9 / seconds).max().orElseThrow();
        LoadResult.Cost cost = new LoadResult.Cost(total.cpuNanos / 1e9, busyShare, (double) total.allocatedBytes / Math.max(1, total.requests),
                gcPauses, gcMillis);
        findings = new Findings(settings, total, runtimeMicros, cost);
        return findings.result(workers.stream().mapToLong(Worker::warmupRequests).sum());
    }

    /** What the text leaves out, a line each. */
    public List<String> remarks(LoadResult result) {
        return findings.remarks(result);
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
        mainScript.done(summary(result), total.response, total.rates);
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
