// SPDX-License-Identifier: Apache-2.0
package lsmlab.load.run;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import lsmlab.load.count.Samples;
import lsmlab.load.count.Tally;
import lsmlab.load.count.Timeline;
import lsmlab.load.plan.Settings;
import lsmlab.load.report.Units;
import lsmlab.load.result.LoadResult;
import lsmlab.load.result.TargetCpu;
import lsmlab.load.send.Worker;

/**
 * Judges a run: whether the rate was sustained, and whether the generator itself was what limited it.
 *
 * @param total of all workers
 * @param targetCpu of the server; null when unknown
 */
public record Findings(Settings settings, Tally total, long runtimeMicros, LoadResult.Cost cost, TargetCpu targetCpu) {
    /** Growth of the response time from the second to the last quarter of a run that means it would have gone on growing. */
    private static final double GROWTH = 2;
    private static final double GROWTH_FLOOR_MS = 20;
    private static final double LAST_SHARE = 0.95;
    /** Send lag over response time, both at p99, from which on the generator is what was measured. */
    private static final double MAX_LAG_SHARE = 0.25;
    private static final double BUSY_SHARE = 0.9;
    private static final long SECOND = 1_000_000_000;

    /** What the load took, all threads together but for the busiest one's share. */
    public static LoadResult.Cost cost(Tally total, double busyShare, long gcPauses, long gcMillis) {
        return new LoadResult.Cost(total.cpuNanos / 1e9, busyShare, (double) total.allocatedBytes / Math.max(1, total.requests), gcPauses, gcMillis);
    }

    public LoadResult result(long warmupRequests) {
        double seconds = runtimeMicros / 1e6;
        String shortfall = shortfall();
        return LoadResult.of(
                new LoadResult.Load("wrk2.jar", settings.url().toString(), settings.scriptName(), settings.connections(), settings.threads(),
                        settings.span().warmupMillis() / 1e3, warmupRequests, seconds),
                new LoadResult.Counts(settings.requestsPerSecond(), total.planned, total.sent, total.requests, total.requests / seconds, total.sentBytes, total.readBytes),
                new LoadResult.Latencies(total.response.result(), total.responseByStatus(), total.service.result(), total.sendLag.result(), total.timeline.intervals()),
                new LoadResult.Outcome(total.errors(), total.statuses(), new LoadResult.Unfinished(total.inFlight, total.unsent, total.oldestNanos / 1e6), cost,
                        warning(shortfall != null), targetCpu, shortfall));
    }

    /** Where the generator may be what was measured; null if it is not. */
    private String warning(boolean notSustained) {
        if (total.requests > 0 && total.sendLag.percentile(99) > MAX_LAG_SHARE * total.response.percentile(99)) {
            return "the generator itself was late: p99 of the send lag is %s, of the response time %s".formatted(p99(total.sendLag), p99(total.response));
        }
        if (notSustained && cost.busyShare() > BUSY_SHARE) {
            return "a thread of the generator was busy %s %% of the time: it may be what limited the rate; more threads (-t) may help"
                    .formatted(Units.fixed(100 * cost.busyShare(), 0));
        }
        return null;
    }

    /** Why the rate was not sustained, or null if it was. */
    private String shortfall() {
        if (total.planned == 0) {
            return "no request was due in it";
        }
        if (total.requests < LoadResult.SUSTAINED_SHARE * total.planned) {
            return "%d of %d planned requests got a response".formatted(total.requests, total.planned);
        }
        double asked = settings.rate().isPoisson() ? total.planned : settings.requestsPerSecond() * Math.min(runtimeMicros / 1e6, settings.span().durationSeconds());
        if (total.requests < LoadResult.SUSTAINED_SHARE * asked) {
            return "only %d of the %.0f requests asked for were due: connections start 5 ms apart, the last after %s; take a longer run (-d), --warmup 1s or more, or more threads (-t)"
                    .formatted(total.planned, asked, Units.seconds(Worker.lastStartNanos(settings) / 1e9, 1));
        }
        double errorShare = total.errors().all() / (double) Math.max(1, total.requests);
        if (errorShare > LoadResult.TOLERATED_ERROR_SHARE) {
            return "%s %% errors".formatted(Units.fixed(100 * errorShare, 1));
        }
        Timeline timeline = total.timeline;
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

    /** What the text leaves out, a line each. */
    List<String> remarks(LoadResult result) {
        List<String> remarks = new ArrayList<>();
        remarks.add(String.format(Locale.ROOT, "asked for %.1f/s, sent %.1f/s, answered %.1f/s: %s; p99: response %s, service %s, send lag %s",
                result.requestedPerSecond(), result.sentPerSecond(), result.achievedPerSecond(), result.verdict(),
                p99(total.response), p99(total.service), p99(total.sendLag)));
        if (result.responseByStatus().size() > 1) {
            remarks.add("p99 of the response time by status: " + result.responseByStatus().entrySet().stream()
                    .map(e -> "%s %s".formatted(e.getKey(), Units.micros(1_000 * e.getValue().percentileMs(99)))).collect(Collectors.joining(", ")));
        }
        if (total.inFlight + total.unsent > settings.connections() || total.oldestNanos > settings.span().timeoutSeconds() * SECOND) {
            remarks.add("%d requests have no response, the oldest after at least %s".formatted(total.inFlight + total.unsent,
                    Units.micros(total.oldestNanos / 1e3)));
        }
        if (result.warning() != null) {
            remarks.add(result.warning());
        }
        return remarks;
    }

    private static String p99(Samples samples) {
        return samples.count() == 0 ? "none" : Units.micros(1_000 * samples.result().percentileMs(99)); // as tables and charts show it
    }
}
