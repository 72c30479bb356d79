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
    /** Rounds that are worth a report when the rest is cancelled. */
    private static final int FEWEST = 2;

    private final List<Settings> targets;
    private final List<ProcessClock> clocks;
    private final Plan plan;
    private final Consumer<String> progress;
    private final Turns turns;
    private final Random random;
    private final List<Slice> measured = new ArrayList<>();
    private final List<Tally> totals; // of each target
    private WarmUp warmUp;
    private int repeatable; // slices that may still be repeated
    private int number; // of slices so far

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
     * @throws CancellationException after {@link #stop}, or when the JVM goes down, if fewer than two rounds are finished
     */
    public RoundsResult run() throws IOException, InterruptedException {
        return turns.run(targets, clocks, this::run);
    }

    private RoundsResult run(Slices slices) throws IOException, InterruptedException {
        progress.accept("  warm-up, then " + secondsOf(plan.rounds()));
        warmUp = WarmUp.of(slices, plan, targets.size(), targets.getFirst().connections());
        slices.begin();
        long start = System.nanoTime();
        repeatable = (int) (REPEATED_SHARE * plan.rounds() * targets.size());
        int finished = 0;
        try {
            for (; finished < plan.rounds(); finished++) {
                progress.accept("  round %d of %d, %s to go".formatted(finished + 1, plan.rounds(), secondsOf(plan.rounds() - finished)));
                for (Slices.Measured slice : round(slices, finished)) {
                    measured.add(slice.slice());
                    totals.get(slice.slice().turn().target()).add(slice.tally());
                }
            }
        } catch (CancellationException e) {
            if (finished < FEWEST) {
                throw e;
            }
        }
        return comparison(finished, 1 - measured.size() * plan.sliceNanos() / (double) (System.nanoTime() - start));
    }

    /** A slice of each target, those that were disturbed before their repetition. */
    private List<Slices.Measured> round(Slices slices, int round) throws IOException, InterruptedException {
        List<Slices.Measured> found = new ArrayList<>();
        for (int target : WarmUp.shuffled(targets.size(), random)) {
            for (int times = 0; times == 0 || found.getLast().slice().disturbed() != null && times < MOST_TIMES_A_TURN && repeatable > 0; times++) {
                repeatable -= times == 0 ? 0 : 1;
                found.add(slices.load(target, round, plan.arrivals(number++), plan.sliceNanos()));
            }
        }
        return found;
    }

    private String secondsOf(int rounds) {
        return "%d s".formatted(TimeUnit.NANOSECONDS.toSeconds(rounds * targets.size() * plan.sliceNanos()));
    }

    /** Ends the run soon; any thread may ask. */
    public void stop() {
        turns.stop();
    }

    private RoundsResult comparison(int rounds, double lostShare) {
        Ratios ratios = new Ratios(targets.stream().map(target -> target.url().toString()).toList(), measured, !clocks.isEmpty());
        return new RoundsResult(ratios.all(), IntStream.range(0, targets.size()).mapToObj(this::pooled).toList(), measured,
                new RoundsResult.Method(plan.load(), plan.sliceNanos() / 1e9, rounds, warmUp.seconds(), warmUp.isLevel(), lostShare));
    }

    /** All slices of a target as one run. */
    private LoadResult pooled(int target) {
        Tally total = totals.get(target);
        double seconds = measured.stream().filter(slice -> slice.turn().target() == target).count() * plan.sliceNanos() / 1e9;
        Settings settings = targets.get(target).withDuration((long) Math.ceil(seconds)).withRate(plan.isClosed() ? total.sent / seconds : plan.perSecond());
        LoadResult.Cost cost = Findings.cost(total, total.cpuNanos / 1e9 / seconds / settings.threads(), 0, 0);
        return new Findings(settings, total, (long) (1e6 * seconds), cost, null).result(0);
    }
}
