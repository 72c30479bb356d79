// SPDX-License-Identifier: Apache-2.0
package lsmlab.load.rounds;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import lsmlab.load.count.Tally;
import lsmlab.load.estimate.Estimate;
import lsmlab.load.machine.ProcessClock;
import lsmlab.load.plan.Arrivals;
import lsmlab.load.plan.Bound;
import lsmlab.load.plan.Settings;
import lsmlab.load.result.Knees;
import lsmlab.load.result.LoadResult;

/** Searches for the knees of several servers in rounds: a slice of the yardstick, then a trial of each server whose knee is not known well enough. */
public final class KneeRounds {
    private static final long WARM_UP_SLICE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);
    private static final long READING_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    /** The yardstick's last readings, of which the median counts. */
    private static final int READINGS = 5;

    private final List<Settings> targets; // the yardstick last, if there is one
    private final boolean hasYardstick;
    private final List<ProcessClock> clocks;
    private final Goal goal;
    private final Consumer<String> progress;
    private final Random random;
    private final Turns turns;
    private final Deque<Double> readings = new ArrayDeque<>();

    /**
     * What is searched for, and for how long.
     *
     * @param halfWidth of the interval that trials leave, as a share of the knee, that is narrow enough
     * @param mostNanos of trials, after which the search ends; a knee that is not found by then gets as much again
     * @param warmupMillis of each server before the first trial; 0: until service times are level
     */
    public record Goal(Bound bound, long trialNanos, double halfWidth, long mostNanos, long warmupMillis, long seed) {}

    /**
     * @param targets which differ in their URLs only
     * @param yardstick null: none
     * @param clocks of their processes, the yardstick's last; empty: not known
     * @param progress learns how far it is, a line each
     * @param whenInterrupted as in {@link Rounds}
     */
    public KneeRounds(List<Settings> targets, Settings yardstick, List<ProcessClock> clocks, Goal goal, Consumer<String> progress, Runnable whenInterrupted) {
        this.targets = new ArrayList<>(targets);
        hasYardstick = yardstick != null;
        if (hasYardstick) {
            this.targets.add(yardstick);
        }
        this.clocks = clocks;
        this.goal = goal;
        this.progress = progress;
        random = new Random(goal.seed());
        turns = new Turns(whenInterrupted);
    }

    /** As {@link Rounds#run}. */
    public Knees search() throws IOException, InterruptedException {
        return turns.run(targets, clocks, this::search);
    }

    private Knees search(Slices slices) throws IOException, InterruptedException {
        long start = System.nanoTime();
        progress.accept("  warm-up");
        WarmUp warmUp = WarmUp.of(slices, new Plan(0, false, WARM_UP_SLICE_NANOS, 0, goal.seed(), goal.warmupMillis()), targets.size(), targets.getFirst().connections());
        int yardstick = targets.size() - 1;
        double unit = hasYardstick ? reading(warmUp.perSecond(yardstick)) : 1;
        for (int i = 0; i < targets.size(); i++) {
            if (warmUp.perSecond(i) == 0) {
                throw new IOException("%s answered nothing while it was warmed up".formatted(targets.get(i).url()));
            }
        }
        List<KneeSearch> searches = new ArrayList<>();
        for (int i = 0; i < targets.size() - (hasYardstick ? 1 : 0); i++) {
            searches.add(new KneeSearch(targets.get(i).url().toString(), hasYardstick, warmUp.perSecond(i), unit));
        }
        long warm = System.nanoTime();
        for (int round = 0; !isOver(searches, warm); round++) {
            progress.accept("  %d trials of each, %d s".formatted(round, TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - start)));
            if (hasYardstick) {
                unit = reading(slices.load(yardstick, round, Arrivals.closed(), READING_NANOS).slice().perSecond());
            }
            for (int i : WarmUp.shuffled(searches.size(), random)) {
                if (!searches.get(i).isKnown(goal.halfWidth()) && (!isTimeUp(warm, 1) || searches.get(i).isOpen())) {
                    trial(slices, i, round, searches.get(i), unit);
                }
            }
        }
        return new Knees(goal.bound().percentile(), goal.bound().millis(), LoadResult.TOLERATED_ERROR_SHARE, goal.trialNanos() / 1e9, (System.nanoTime() - start) / 1e9,
                hasYardstick ? targets.get(yardstick).url().toString() : null, searches.stream().map(search -> search.result(search.isKnown(goal.halfWidth()))).toList());
    }

    /** The yardstick's rate with this reading; one without an answer says nothing. */
    private double reading(double perSecond) {
        if (perSecond > 0) {
            readings.add(perSecond);
        }
        if (readings.size() > READINGS) {
            readings.remove();
        }
        return Estimate.median(readings.stream().mapToDouble(Double::doubleValue).toArray());
    }

    /** A knee that is not found when the time is up gets as much time again: on a noisy machine the trials that are enough elsewhere may show nothing. */
    private boolean isOver(List<KneeSearch> searches, long start) {
        return isTimeUp(start, 2) || isTimeUp(start, 1) && searches.stream().noneMatch(KneeSearch::isOpen)
                || searches.stream().allMatch(search -> search.isKnown(goal.halfWidth()));
    }

    private boolean isTimeUp(long start, int times) {
        return System.nanoTime() - start > times * goal.mostNanos();
    }

    private void trial(Slices slices, int target, int round, KneeSearch search, double unit) throws IOException, InterruptedException {
        double level = search.nextLevel(random);
        double perSecond = level * unit;
        Arrivals arrivals = targets.get(target).rate().isPoisson() ? Arrivals.poisson(perSecond, random.nextInt()) : Arrivals.fixed(perSecond);
        Slices.Measured trial = slices.load(target, round, arrivals, goal.trialNanos());
        Tally tally = trial.tally();
        Double percentileMs = tally.response.count() == 0 ? null : tally.response.percentile(goal.bound().percentile()) / 1e3;
        search.learn(level, unit, new ServiceLevel(goal.bound()).isHeld(tally, targets.get(target).connections(), perSecond), trial.slice(), percentileMs);
    }
}
