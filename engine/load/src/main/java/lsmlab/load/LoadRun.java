// SPDX-License-Identifier: Apache-2.0
package lsmlab.load;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToLongFunction;

/** One run from set-up to result: connects once to see that somebody listens, prepares the scripts, runs the workers, adds them up. */
final class LoadRun implements AutoCloseable {
    /** Growth of the response time from the second to the last quarter of a run that means it would have gone on growing. */
    private static final double GROWTH = 2;
    private static final double GROWTH_FLOOR_MS = 20;
    private static final double LAST_SHARE = 0.95;
    private static final long START_DELAY_NANOS = 20_000_000;

    private final Settings settings;
    private final TextReport report;
    private final List<Worker> workers = new ArrayList<>();

    final Latencies response = new Latencies();
    final Latencies service = new Latencies();
    final Latencies sendLag = new Latencies();
    final RateSamples rates = new RateSamples();
    private final List<LuaScript> scripts = new ArrayList<>();
    private LuaScript mainScript;
    private long startNanos;
    private long runtimeMicros;

    LoadRun(Settings settings, TextReport report) {
        this.settings = settings;
        this.report = report;
    }

    /** Throws IOException when nobody listens, {@link LuaScript.ScriptException} when a script is wrong. */
    LoadResult run() throws IOException, InterruptedException {
        InetSocketAddress address = probe();
        prepare(address);
        Thread interrupted = new Thread(this::stopAndWait, "interrupted");
        Runtime.getRuntime().addShutdownHook(interrupted);
        workers.forEach(Thread::start);
        for (Worker worker : workers) {
            worker.join();
        }
        try {
            Runtime.getRuntime().removeShutdownHook(interrupted);
        } catch (IllegalStateException e) {
            // the JVM is going down and the hook runs; what was measured until now is reported
        }
        for (Worker worker : workers) {
            worker.throwFailure();
        }
        runtimeMicros = Math.max(1, (workers.stream().mapToLong(w -> w.endNanos).max().orElseThrow() - startNanos) / 1000);
        return result();
    }

    private InetSocketAddress probe() throws IOException {
        InetSocketAddress address = new InetSocketAddress(settings.url().getHost(), settings.port());
        if (address.isUnresolved()) {
            throw new IOException("unable to resolve " + settings.url().getHost());
        }
        try (Socket socket = new Socket()) {
            socket.connect(address, 5_000);
        } catch (IOException e) {
            throw new IOException("unable to connect to %s:%d %s".formatted(settings.url().getHost(), settings.port(), e.getMessage()), e);
        }
        return address;
    }

    /** All scripts run before the clock starts, so that a slow init() costs no measured time. */
    private void prepare(InetSocketAddress address) throws IOException {
        mainScript = newScript();
        for (int i = 0; i < settings.threads(); i++) {
            scripts.add(newScript());
        }
        String peer = address.getAddress().getHostAddress() + ":" + address.getPort();
        for (int i = 0; i < scripts.size(); i++) {
            int thread = i;
            mainScript.setup(scripts.get(i), peer, () -> workers.get(thread).askToStop());
            scripts.get(i).init(settings.url().toString(), settings.scriptArguments());
        }
        // As wrk2 does: thread 0 makes one request that is not sent, to see how many a call of request() holds.
        int depth = Requests.count(scripts.getFirst().request(ByteBuffer.allocateDirect(4096)).flip());
        startNanos = System.nanoTime() + START_DELAY_NANOS;
        for (int i = 0; i < scripts.size(); i++) {
            workers.add(new Worker(i, settings, address, scripts.get(i), depth, report, startNanos, this::stop));
        }
    }

    private LuaScript newScript() throws IOException {
        return new LuaScript(settings.url(), settings.script(), settings.headers());
    }

    /** Ends the scripts' states; done() needs those of the threads until then. */
    @Override
    public void close() {
        scripts.forEach(LuaScript::close);
        if (mainScript != null) {
            mainScript.close();
        }
    }

    private void stop() {
        workers.forEach(Worker::askToStop);
    }

    private void stopAndWait() {
        stop();
        try {
            Main.exitAfterReport();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private LoadResult result() {
        Timeline timeline = new Timeline(settings.durationSeconds() * 1_000_000_000);
        Connection.Backlog backlog = new Connection.Backlog();
        Map<Integer, Long> statuses = new TreeMap<>();
        for (Worker worker : workers) {
            response.add(worker.response);
            service.add(worker.service);
            sendLag.add(worker.sendLag);
            rates.addAll(worker.rates);
            timeline.add(worker.timeline);
            backlog.add(worker.backlog.inFlight, worker.backlog.unsent, worker.backlog.oldestNanos);
            for (int status = 0; status < worker.statuses.length; status++) {
                if (worker.statuses[status] > 0) {
                    statuses.merge(status, worker.statuses[status], Long::sum);
                }
            }
        }
        long requests = sum(w -> w.requests);
        long planned = sum(w -> w.planned);
        long badStatus = statuses.entrySet().stream().filter(e -> e.getKey() > 399).mapToLong(Map.Entry::getValue).sum();
        String shortfall = shortfall(requests, planned, timeline);
        return new LoadResult("wrk2.jar", settings.url().toString(), settings.scriptName(), settings.connections(), settings.threads(),
                runtimeMicros / 1e6, settings.requestsPerSecond(), planned, requests, requests / (runtimeMicros / 1e6), sum(w -> w.readBytes),
                new LoadResult.Errors(sum(w -> w.connectErrors), sum(w -> w.readErrors), sum(w -> w.writeErrors), sum(w -> w.timeouts), badStatus),
                statuses, response.result(), service.result(), sendLag.result(),
                new LoadResult.Unfinished(backlog.inFlight, backlog.unsent, backlog.oldestNanos / 1e6),
                timeline.intervals(), shortfall == null, shortfall == null ? "sustained" : "not sustained: " + shortfall);
    }

    private long sum(ToLongFunction<Worker> count) {
        return workers.stream().mapToLong(count).sum();
    }

    /** Why the rate was not held, or null if it was. */
    private String shortfall(long requests, long planned, Timeline timeline) {
        if (requests < LoadResult.SUSTAINED_SHARE * planned) {
            return "%d of %d planned requests got a response".formatted(requests, planned);
        }
        double early = timeline.meanResponseMs(0.25, 0.5);
        double late = timeline.meanResponseMs(0.75, 1);
        double last = timeline.meanResponseMs(LAST_SHARE, 1);
        // A stall that was caught up with makes the last quarter slow, but not its end.
        boolean stillBehind = last > GROWTH * early && last > GROWTH_FLOOR_MS;
        if (late > GROWTH * early && late > GROWTH_FLOOR_MS && stillBehind) {
            return "response time grew from %s to %s ms".formatted(Units.fixed(early, 1), Units.fixed(last, 1));
        }
        return null;
    }

    /** Prints what wrk2 prints after a run, then calls the script's done(). */
    void print(LoadResult result, boolean latency, boolean uncorrected) {
        report.summary(response, rates);
        if (latency) {
            report.distribution("Recorded Latency", response);
        }
        if (uncorrected) {
            report.blankLine();
            report.distribution("Uncorrected Latency (measured without taking delayed starts into account)", service);
        }
        report.totals(result.requests(), runtimeMicros, result.readBytes(), result.errors());
        mainScript.done(summary(result), response, rates);
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
