// SPDX-License-Identifier: Apache-2.0
package lsmlab.load;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import lsmlab.load.machine.ProcessClock;
import lsmlab.load.plan.Bound;
import lsmlab.load.plan.Settings;
import lsmlab.load.report.KneeReport;
import lsmlab.load.report.RoundsReport;
import lsmlab.load.report.Units;
import lsmlab.load.result.RoundsResult;
import lsmlab.load.result.Knees;
import lsmlab.load.rounds.KneeRounds;
import lsmlab.load.rounds.Plan;
import lsmlab.load.rounds.Rounds;
import lsmlab.load.run.TerminalLine;
import picocli.CommandLine.Option;

/** Options of loading servers in turns: to compare them, or to find their knees. */
final class RoundsOptions {
    private static final int MOST_ROUNDS = 1_000;
    private static final long SLICE_MILLIS = 250;
    private static final long SHORTEST_SLICE_MILLIS = 20;
    private static final long LONGEST_SLICE_MILLIS = 60_000;

    @Option(names = "--rounds", paramLabel = "N", description = "load each URL for a slice, N times, each time in another order; "
            + "ratios to the first URL with 95 %% intervals follow. -d is not needed")
    private Integer rounds;

    @Option(names = "--slice", paramLabel = "T", description = "length of a slice, as 250ms or 1s (250ms)")
    private String slice;

    @Option(names = "--closed", description = "each connection sends when it has its answer, instead of at a rate: shows throughput, never latency under a load")
    private boolean closed;

    @Option(names = "--pids", paramLabel = "PID", split = ",", description = "the servers' processes, in the order of the URLs: their processor time a response is measured")
    private List<Long> pids = List.of();

    @Option(names = "--knee", paramLabel = "pP=T", description = "instead of one run, look for the highest rate at which a percentile of the response time stays "
            + "below a bound: --knee p99=10ms. A trial with more than 0.1 %% errors, 404 among them unless accepted, is not held. --slice is the length of a trial "
            + "(250ms; four times the bound if that is longer), -d the longest time for all trials (90s), twice that if they do not show where the knee lies")
    String knee;

    @Option(names = "--yardstick", paramLabel = "URL", description = "with --knee: a server that answers a constant; knees are stated as shares of what it answers at the same time, too")
    String yardstick;

    @Option(names = "--within", paramLabel = "N", defaultValue = "5", description = "with --knee: stop when the interval that trials leave is within this many percent of the knee (${DEFAULT-VALUE})")
    private int withinPercent;

    boolean areAskedFor() {
        return rounds != null || closed || knee != null || yardstick != null || slice != null;
    }

    /** @param json writes records where they are asked for; returns the exit status */
    Task comparing(List<Settings> targets, Check check, Function<Record[], Integer> json) {
        Settings first = targets.getFirst();
        boolean hasRate = first.requestsPerSecond() > 0;
        check.require(yardstick == null, "--yardstick is for --knee");
        check.require(rounds != null, "--rounds is missing: --closed and --slice are of servers in turns");
        check.require(rounds >= 2 && rounds <= MOST_ROUNDS, "--rounds is %d, it must be 2 to %d", rounds, MOST_ROUNDS);
        check.require(!closed || !first.rate().isPoisson(), "--closed has no distribution: leave out -D exp, or --closed");
        check.require(closed != hasRate, closed ? "--closed has no rate: leave out -R, or --closed" : "the rate is missing: -R N, or --closed");
        requireTheSame(targets, check);
        Plan plan = new Plan(first.requestsPerSecond(), first.rate().isPoisson(), sliceNanos(SLICE_MILLIS, check), rounds, seed(first), first.span().warmupMillis());
        List<ProcessClock> clocks = clocks(targets.size(), check);
        return out -> {
            RoundsResult comparison = shown(line -> new Rounds(targets, clocks, plan, line::show, Main::exitAfterReport).run());
            new RoundsReport(out).print(comparison);
            return json.apply(new Record[] {comparison.targets().getFirst(), comparison});
        };
    }

    /**
     * @param measure what the others are compared with; null: nothing
     * @param json as above
     */
    Task searching(List<Settings> targets, Settings measure, Check check, Function<Record[], Integer> json) {
        Settings first = targets.getFirst();
        check.require(rounds == null && !closed && first.requestsPerSecond() == 0, "--knee looks for the rate: it has no -R, --rounds or --closed");
        Bound bound = check.parsed("--knee", () -> Bound.parse(knee));
        check.require(bound.millis() < 1_000 * first.span().timeoutSeconds(), "--knee %s: a response that takes --timeout, %ds, is an error; take a longer --timeout", knee,
                first.span().timeoutSeconds());
        check.require(withinPercent >= 1, "--within is %d, it must be at least 1", withinPercent);
        requireTheSame(targets, check);
        requireTheSame(measure == null ? targets : List.of(first, measure), check);
        KneeRounds.Goal goal = new KneeRounds.Goal(bound, sliceNanos(bound.trialMillis(), check), withinPercent / 100.0,
                TimeUnit.SECONDS.toNanos(first.span().durationSeconds()), first.span().warmupMillis(), seed(first));
        List<ProcessClock> clocks = clocks(targets.size() + (measure == null ? 0 : 1), check);
        return out -> {
            Knees knees = shown(line -> new KneeRounds(targets, measure, clocks, goal, line::show, Main::exitAfterReport).search());
            new KneeReport(out).print(knees);
            return json.apply(new Record[] {knees});
        };
    }

    private static void requireTheSame(List<Settings> targets, Check check) {
        Settings first = targets.getFirst();
        targets.forEach(other -> check.require(other.asksTheSameAs(first), "URLs of one comparison differ in host and port only: %s, %s", first.url(), other.url()));
    }

    private long sliceNanos(long otherwiseMillis, Check check) {
        long millis = slice == null ? otherwiseMillis : check.parsed("--slice", () -> Units.parseMillis(slice));
        check.require(slice == null || millis >= SHORTEST_SLICE_MILLIS && millis <= LONGEST_SLICE_MILLIS, "--slice is %s, it must be 20ms to 60s", slice);
        return TimeUnit.MILLISECONDS.toNanos(millis);
    }

    /** None if no processes are named. */
    List<ProcessClock> clocks(int servers, Check check) {
        check.require(pids.isEmpty() || pids.size() == servers, "--pids names %d processes for %d URLs", pids.size(), servers);
        return check.parsed("--pids", () -> pids.stream().map(ProcessClock::new).toList());
    }

    private static long seed(Settings settings) {
        return settings.content().seed() == null ? System.nanoTime() : settings.content().seed();
    }

    /** A measurement that shows how far it is. */
    private interface Shown<T> {
        T run(TerminalLine line) throws IOException, InterruptedException;
    }

    private static <T> T shown(Shown<T> measurement) throws IOException, InterruptedException {
        try (TerminalLine line = new TerminalLine(Main.terminal())) {
            return measurement.run(line);
        } catch (CancellationException e) {
            throw new IOException("interrupted; the measurement was not finished", e);
        }
    }
}
