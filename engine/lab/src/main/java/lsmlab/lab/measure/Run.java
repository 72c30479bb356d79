// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.measure;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.zip.DataFormatException;
import lsmlab.lab.environment.Machine;
import lsmlab.lab.environment.Mode;
import lsmlab.lab.environment.Text;
import lsmlab.lab.notebook.Turn;
import lsmlab.lab.process.ServerProcess;
import lsmlab.load.result.Interval;
import lsmlab.load.result.LoadResult;
import org.HdrHistogram.Histogram;

/**
 * One measured run: a row.
 *
 * @param label its name in charts and tables
 * @param machine CPU and cores, as charts show them
 * @param arguments the script's
 * @param server the server's options in force, its heap, and whose sockets it used
 * @param mayMiss whether 404 counts as an answer, not as an error
 * @param profiled whether async-profiler was attached meanwhile, which costs time
 * @param result what the load generator found
 * @param serverCpuShare CPU time of the server's process over elapsed time: 1 is one core
 * @param engine what the engine counted during the run, by the names of /v0/stats ("gets", "device.pagesAsked"); of states, like the
 *     number of tables, the value after the run
 * @param workers the same of the workers that handle clients' requests: "waited", "rejected"
 * @param jvm the same of the server's JVM: "allocatedBytes", "gcCount", "gcMillis"
 */
public record Run(
        String label,
        String mode,
        String machine,
        List<String> arguments,
        Map<String, String> server,
        boolean mayMiss,
        boolean profiled,
        LoadResult result,
        double serverCpuShare,
        Map<String, Long> engine,
        Map<String, Long> workers,
        Map<String, Long> jvm) implements Curve {
    /** These numbers of the server are states, not counts: their value after the run is kept, not a difference. */
    private static final Set<String> STATES = Set.of("runs", "tables", "tableBytes", "unreclaimedBytes", "unreclaimedMemtableBytes", "openScans", "memtableBytes",
            "longestStallNanos", "longestNanos", "threads", "capacity", "active", "queueLength", "longestWaitNanos", "heapUsedBytes",
            "heapMaxBytes", "pid", "uptimeMillis");

    /** The status of an id that is not there. */
    static final int NOT_FOUND = 404;
    private static final int LAST_GOOD_STATUS = 399;
    private static final String MEASURED_BESIDE = "measured beside";

    static Run of(String label, ServerProcess server, List<String> arguments, boolean mayMiss, LoadResult result, double cpuShare, JsonNode statsBefore, JsonNode statsAfter) {
        Map<String, String> options = new LinkedHashMap<>();
        statsAfter.get("options").properties().forEach(option -> options.put(option.getKey(), option.getValue().asText()));
        options.remove("data");
        options.remove("cluster");
        options.remove("self");
        if (Turn.beside() != null) {
            options.put(MEASURED_BESIDE, Turn.beside());
        }
        options.put("heap", server.heap());
        options.put("sockets", statsAfter.at("/http/sockets").asText());
        return new Run(label, Mode.current().toString(), Machine.shortName(), arguments, options, mayMiss, server.isProfiled(), result, cpuShare,
                counted("/engine", statsBefore, statsAfter), counted("/workers/clients", statsBefore, statsAfter),
                counted("/jvm", statsBefore, statsAfter));
    }

    static Map<String, Long> counted(String part, JsonNode before, JsonNode after) {
        Map<String, Long> counted = new LinkedHashMap<>();
        count("", before.at(part), after.at(part), counted);
        return counted;
    }

    private static void count(String prefix, JsonNode before, JsonNode after, Map<String, Long> counted) {
        after.properties().forEach(number -> {
            String name = number.getKey();
            JsonNode then = before.path(name);
            if (number.getValue().isObject()) {
                count(prefix + name + ".", then, number.getValue(), counted);
            } else if (number.getValue().isIntegralNumber()) {
                counted.put(prefix + name, number.getValue().asLong() - (STATES.contains(name) ? 0 : then.asLong()));
            }
        });
    }

    /** Response time at a percentile, in milliseconds; NaN without responses. */
    public double percentileMs(double percentile) {
        if (!(percentile >= 1 && percentile <= 100)) {
            throw new IllegalArgumentException("percentileMs(%s): percentiles go from 1 to 100, the 99th is percentileMs(99)".formatted(percentile));
        }
        return result.response().percentileMs(percentile);
    }

    /** Mean response time, in milliseconds; NaN without responses. */
    public double meanMs() {
        return result.response().meanMs() == null ? Double.NaN : result.response().meanMs();
    }

    /** Service time at a percentile, in milliseconds; NaN where the load generator does not report it. */
    public double serviceMs(double percentile) {
        return result.service() == null ? Double.NaN : result.service().percentileMs(percentile);
    }

    /** Whether the rate asked for was sustained: answered in time and without errors to speak of. */
    public boolean sustained() {
        return result.sustained() && hasNoErrorsToSpeakOf();
    }

    private boolean hasNoErrorsToSpeakOf() {
        return errorShare() <= LoadResult.TOLERATED_ERROR_SHARE;
    }

    /** Whether it kept a service level: sustained, and the 99th percentile of the response time below this. */
    public boolean isHeld(double p99Ms) {
        return sustained() && percentileMs(99) < p99Ms;
    }

    /** Whether it was sustained, in words. */
    public String verdict() {
        return result.sustained() && !hasNoErrorsToSpeakOf() ? "not sustained: %s errors".formatted(Text.percent(errorShare())) : result.verdict();
    }

    /** Whether the server stood before a cluster of Cassandra. */
    boolean isOfCassandra() {
        return server.containsKey("cassandra");
    }

    /** Which other notebook measured at the same time; null if none did. */
    public String measuredBeside() {
        return server.get(MEASURED_BESIDE);
    }

    /** Errors, of whatever kind, over responses. */
    public double errorShare() {
        LoadResult.Errors errors = result.errors();
        long statuses = result.statuses() == null
                ? mayMiss ? 0 : errors.status() // a real wrk2 counts all above 399 together
                : result.statuses().entrySet().stream().filter(status -> status.getKey() > LAST_GOOD_STATUS && !(mayMiss && status.getKey() == NOT_FOUND))
                        .mapToLong(Map.Entry::getValue).sum();
        return (double) (errors.all() - errors.status() + statuses) / Math.max(1, result.requests());
    }

    /** Whether its engine has this counter: another store counts other things. */
    public boolean counts(String counter) {
        return engine.containsKey(counter);
    }

    /** An engine counter ("tablesAsked", "probes") over the GETs of the run; null if there were none. */
    public Double perGet(String counter) {
        long gets = engine.getOrDefault("gets", 0L);
        return gets == 0 ? null : (double) counter(counter) / gets;
    }

    private long counter(String name) {
        Long value = engine.get(name);
        if (value == null) {
            throw new IllegalArgumentException("the engine counts no '%s', it counts %s".formatted(name, engine.keySet()));
        }
        return value;
    }

    /** Share of the run in which writes stalled. */
    public double stalledShare() {
        return counter("stallNanos") / 1e9 / result.seconds();
    }

    /** Processor time of the server's process for each response, in microseconds. */
    public double cpuMicrosPerRequest() {
        return 1e6 * serverCpuShare / result.achievedPerSecond();
    }

    /** The same over the slices of the run, their median with its interval; where slices are not known, the whole run's. */
    public Interval cpuMicrosBySlices() {
        return result.targetCpu() == null ? Interval.exactly(cpuMicrosPerRequest()) : result.targetCpu().interval();
    }

    /** Bytes that the engine wrote, to its log and to tables, for each write of the run; null if there were none. */
    public Double writtenBytesPerWrite() {
        return WrittenBytes.perWrite(engine);
    }

    /** Bytes that the server allocated on its heap for each request that got its response. */
    public double allocatedBytesPerRequest() {
        return (double) jvm.get("allocatedBytes") / (result.requests() + result.warmupRequests());
    }

    /** Share of the responses that took longer than this multiple of the median: 0.05 if they begin at the 95th percentile. */
    public double shareBeyondMedian(double times) {
        return 1 - shareWithin(result.response(), times * percentileMs(50));
    }

    /** Share of the requests whose service time was at most this many milliseconds. */
    public double serviceShareWithin(double ms) {
        return result.service() == null ? Double.NaN : shareWithin(result.service(), ms);
    }

    /** A real wrk2 prints only the spectrum. */
    private static double shareWithin(LoadResult.Latency latency, double ms) {
        if (latency.histogram() == null) {
            return latency.count() == 0 ? Double.NaN
                    : latency.spectrum().stream().filter(point -> point.ms() <= ms).mapToDouble(LoadResult.Point::quantile).max().orElse(0);
        }
        try {
            ByteBuffer bytes = ByteBuffer.wrap(Base64.getDecoder().decode(latency.histogram()));
            return Histogram.decodeFromCompressedByteBuffer(bytes, 0).getPercentileAtOrBelowValue(Math.round(1000 * ms)) / 100;
        } catch (DataFormatException e) {
            throw new IllegalStateException("the result's histogram can't be read", e);
        }
    }

    /** False: it was measured here. */
    @Override
    public boolean reported() {
        return false;
    }

    /** The curve of its response times. */
    @Override
    public List<Point> points() {
        return Percentiles.curve(result.response().spectrum());
    }

    @Override
    public String toString() {
        return "%s: %s, p50 %s, p99 %s, %s".formatted(label, Text.rate(result.achievedPerSecond()), Text.ms(percentileMs(50)), Text.ms(percentileMs(99)), verdict());
    }
}
