// SPDX-License-Identifier: Apache-2.0
package lsmlab.load.rounds;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import lsmlab.load.count.Tally;
import lsmlab.load.machine.ProcessClock;
import lsmlab.load.plan.Settings;
import lsmlab.load.result.RoundsResult;
import lsmlab.load.result.LoadResult;
import lsmlab.load.result.Slice;
import lsmlab.load.run.Findings;

/**
 * The same load against several targets, in rounds: each round has a slice of each, in an order that is shuffled anew. What changes slowly
 * hits all of them. Disturbed slices are repeated, within a bound.
 */
public final class Rounds {
    /** Slices that may be repeated, as a share of all. */
    private static final double REPEATED_SHARE = 0.5;
    private static final int MOST_TIMES_A_TURN = 3;

    private final List<Settings> targets;
    private final List<ProcessClock> clocks;
    private final Plan plan;
    private final Consumer<String> progress;
    private final Turns turns;
    private final Random random;
    private final List<Slice> measured = new ArrayList<>();
    private final List<Tally> totals; // of each target
    private WarmUp warmUp;

    /**
     * @param targets which differ in their URLs only
     * @param clocks of their processes; empty: not known
     * @param progress learns how far it is, a line each
     * @param whenInterrupted called when the JVM goes down meanwhile and the load has been asked to stop; it goes down when this returns
     */
    public Rounds(List<Settings> targets, List<ProcessClock> clocks, Plan plan, Consumer<String> progress, Runnable whenInterrupted) {
        this.targets = targets;
        this.clocks = clocks;
        this.plan = plan;
        this.progress = progress;
        turns = new Turns(whenInterrupted);
        random = new Random(plan.seed());
        totals = targets.stream().map(target -> new Tally(plan.sliceNanos(), target.counting().accepted())).toList();
    }

    /**
     * @throws IOException if a target can't be reached, or dies
     * @throws CancellationException after {@link #stop}, or when the JVM goes down
     */
    public RoundsResult run() throws IOException, InterruptedException {
        return turns.run(targets, clocks, this::run);
    }

    private RoundsResult run(Slices slices) throws IOException, InterruptedException {
        progress.accept("  warm-up, then " + secondsOf(plan.rounds()));
        warmUp = WarmUp.of(slices, plan, targets.size());
        slices.begin();
        long start = System.nanoTime();
        int repeatable = (int) (REPEATED_SHARE * plan.rounds() * targets.size());
        for (int round = 0; round < plan.rounds(); round++) {
            progress.accept("  round %d of %d, %s to go".formatted(round + 1, plan.rounds(), secondsOf(plan.rounds() - round)));
            for (int target : WarmUp.shuffled(targets.size(), random)) {
                boolean counts = load(slices, target, round);
                for (int times = 1; !counts && times < MOST_TIMES_A_TURN && repeatable > 0; times++) {
                    repeatable--;
                    counts = load(slices, target, round);
                }
            }
        }
        return comparison(1 - measured.size() * plan.sliceNanos() / (double) (System.nanoTime() - start));
    }

    private String secondsOf(int rounds) {
        return "%d s".formatted(TimeUnit.NANOSECONDS.toSeconds(rounds * targets.size() * plan.sliceNanos()));
    }

    /** Ends the run soon; any thread may ask. */
    public void stop() {
        turns.stop();
    }

    /** Whether the slice counts. */
    private boolean load(Slices slices, int target, int round) throws IOException, InterruptedException {
        Slices.Measured slice = slices.load(target, round, plan.arrivals(measured.size()), plan.sliceNanos());
        measured.add(slice.slice());
        totals.get(target).add(slice.tally());
        return slice.slice().disturbed() == null;
    }

    private RoundsResult comparison(double lostShare) {
        Ratios ratios = new Ratios(targets.stream().map(target -> target.url().toString()).toList(), measured, !clocks.isEmpty());
        return new RoundsResult(ratios.all(), IntStream.range(0, targets.size()).mapToObj(this::pooled).toList(), measured,
                new RoundsResult.Method(plan.load(), plan.sliceNanos() / 1e9, plan.rounds(), warmUp.seconds(), warmUp.isLevel(), lostShare));
    }

    /** All slices of a target as one run. */
    private LoadResult pooled(int target) {
        Tally total = totals.get(target);
        double seconds = measured.stream().filter(slice -> slice.turn().target() == target).count() * plan.sliceNanos() / 1e9;
        Settings settings = targets.get(target).withDuration((long) Math.ceil(seconds)).withRate(plan.isClosed() ? total.sent / seconds : plan.perSecond());
        LoadResult.Cost cost = Findings.cost(total, total.cpuNanos / 1e9 / seconds / settings.threads(), 0, 0);
        return new Findings(settings, total, (long) (1e6 * seconds), cost).result(0);
    }
}
