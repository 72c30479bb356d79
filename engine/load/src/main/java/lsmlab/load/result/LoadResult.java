// SPDX-License-Identifier: Apache-2.0
package lsmlab.load.result;

import java.util.List;
import java.util.Map;

/**
 * What one run found. {@code --json} writes exactly this, a JSON object with these names; the lab makes the same from the text of a
 * real wrk2, and then leaves null what that does not report.
 *
 * @param generator the program that made the load
 * @param url where it went
 * @param script name of the Lua script, null without one
 * @param warmupSeconds load before the run; nothing else of it is counted
 * @param warmupRequests responses received meanwhile: what the server counted for itself has them, too
 * @param seconds from the first intended send to the end
 * @param requestedPerSecond the rate asked for, all connections together
 * @param plannedRequests requests whose intended start lay inside the run; null when unknown
 * @param sentRequests of those; null when unknown, as is sentPerSecond
 * @param requests responses received
 * @param achievedPerSecond responses received a second
 * @param sentBytes bytes sent, heads included; null when unknown
 * @param readBytes bytes received, heads included
 * @param errors what went wrong, apart from the latencies
 * @param statuses responses by status code; null when unknown
 * @param response response time: from the intended start, so that waiting for a slow server counts
 * @param responseByStatus response times by class of status, as "2xx"; null when unknown
 * @param service service time: from the actual send; null when unknown
 * @param sendLag how late the generator itself was: from when a connection was free and due to the actual send; null when unknown
 * @param unfinished what was due and had no response at the end; null when unknown
 * @param cost what the generator itself took; null when unknown
 * @param warning in words, when the generator's own lateness or load may be what was measured; null otherwise
 * @param intervals the run in equal slices of time, by intended start; null when unknown
 * @param targetCpu processor time of the server a response, over the slices of the run; null when unknown
 * @param sustained whether the rate was sustained: at least 95 % of the requests asked for were answered, at most 0.1 % of them with errors,
 *     and the response time did not grow where the intervals are known
 * @param verdict the same in words
 */
public record LoadResult(
        String generator,
        String url,
        String script,
        int connections,
        int threads,
        double warmupSeconds,
        long warmupRequests,
        double seconds,
        double requestedPerSecond,
        Long plannedRequests,
        Long sentRequests,
        Double sentPerSecond,
        long requests,
        double achievedPerSecond,
        Long sentBytes,
        long readBytes,
        Errors errors,
        Map<Integer, Long> statuses,
        Latency response,
        Map<String, Latency> responseByStatus,
        Latency service,
        Latency sendLag,
        Unfinished unfinished,
        Cost cost,
        String warning,
        List<Interval> intervals,
        TargetCpu targetCpu,
        boolean sustained,
        String verdict) {

    /** The share of the planned rate that counts as sustaining it. */
    public static final double SUSTAINED_SHARE = 0.95;

    /** Errors over responses from which on a rate counts neither as sustained nor as held. */
    public static final double TOLERATED_ERROR_SHARE = 0.001;

    /** The lowest status that counts as an error, as wrk2 counts. */
    public static final int FIRST_BAD_STATUS = 400;

    /** A result from its parts, the fields of which are those of the result. */
    public static LoadResult of(Load load, Counts counts, Latencies latencies, Outcome outcome) {
        return new LoadResult(load.generator, load.url, load.script, load.connections, load.threads, load.warmupSeconds, load.warmupRequests, load.seconds,
                counts.requestedPerSecond, counts.planned, counts.sent, counts.sent == null ? null : counts.sent / load.seconds, counts.requests,
                counts.achievedPerSecond, counts.sentBytes, counts.readBytes, outcome.errors, outcome.statuses, latencies.response,
                latencies.responseByStatus, latencies.service, latencies.sendLag, outcome.unfinished, outcome.cost, outcome.warning, latencies.intervals,
                outcome.targetCpu, outcome.shortfall == null, outcome.shortfall == null ? "sustained" : "not sustained: " + outcome.shortfall);
    }

    /** What was run. */
    public record Load(String generator, String url, String script, int connections, int threads, double warmupSeconds, long warmupRequests, double seconds) {}

    public record Counts(double requestedPerSecond, Long planned, Long sent, long requests, double achievedPerSecond, Long sentBytes, long readBytes) {}

    public record Latencies(Latency response, Map<String, Latency> responseByStatus, Latency service, Latency sendLag, List<Interval> intervals) {}

    /**
     * @param targetCpu null when unknown
     * @param shortfall why the rate was not sustained, in words; null if it was
     */
    public record Outcome(Errors errors, Map<Integer, Long> statuses, Unfinished unfinished, Cost cost, String warning, TargetCpu targetCpu, String shortfall) {}

    /** Errors, of whatever kind, over responses. */
    public double errorShare() {
        return (double) errors.all() / Math.max(1, requests);
    }

    /**
     * Counts; {@code status} is responses with a status above 399 that was not accepted, {@code timeout} requests outstanding longer than
     * the timeout.
     */
    public record Errors(long connect, long read, long write, long timeout, long status) {
        /** Errors of every kind. */
        public long all() {
            return connect + read + write + timeout + status;
        }
    }

    /**
     * A distribution of latencies in milliseconds. A run of more than about 10 s without a warm-up leaves its first 10 s out, as wrk2 does.
     *
     * @param meanMs null without values, as are stdevMs and maxMs
     * @param spectrum ascending; the last point has quantile 1
     * @param histogram HdrHistogram V2, compressed, base64, in microseconds; null when unknown
     */
    public record Latency(long count, Double meanMs, Double stdevMs, Double maxMs, List<Point> spectrum, String histogram) {
        /** Milliseconds at the first point of the spectrum whose quantile is at least {@code percentile}/100, for 99: 0.990625; NaN without values. */
        public double percentileMs(double percentile) {
            if (count == 0) {
                return Double.NaN;
            }
            double ms = spectrum.stream().filter(p -> p.quantile() >= percentile / 100 - 1e-9).findFirst().orElse(spectrum.getLast()).ms();
            return maxMs == null ? ms : Math.min(ms, maxMs); // a point is the upper end of its bucket, the maximum its own value
        }
    }

    /** {@code count} values are at most {@code ms}; {@code quantile} is the one asked for, 0 to 1. */
    public record Point(double ms, double quantile, long count) {}

    /**
     * Requests without a response at the end.
     *
     * @param inFlight sent
     * @param unsent due, but their connection was still waiting for an earlier response
     * @param atLeastMs the oldest of them had waited this long: its response time is at least that
     */
    public record Unfinished(long inFlight, long unsent, double atLeastMs) {}

    /**
     * What making the load took.
     *
     * @param cpuSeconds of the threads that send and receive
     * @param busyShare of the busiest of them: 1 is a whole core
     * @param allocatedBytesPerRequest on the heap by these threads; a script's strings are not on it
     * @param gcPauses pauses of the generator's JVM while it ran, and their total; they are in the latencies and in the send lag
     */
    public record Cost(double cpuSeconds, double busyShare, double allocatedBytesPerRequest, long gcPauses, double gcMs) {}

    /** One slice of the run; times in milliseconds, null without responses. */
    public record Interval(double startSeconds, long requests, Double responseMeanMs, Double responseMaxMs,
            Double serviceMeanMs, Double serviceMaxMs) {}
}
