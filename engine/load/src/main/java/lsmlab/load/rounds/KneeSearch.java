// SPDX-License-Identifier: Apache-2.0
package lsmlab.load.rounds;

import java.util.ArrayList;
import java.util.DoubleSummaryStatistics;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import lsmlab.load.estimate.Estimate;
import lsmlab.load.estimate.Threshold;
import lsmlab.load.result.Interval;
import lsmlab.load.result.Knees;
import lsmlab.load.result.LoadResult;
import lsmlab.load.result.Slice;

/**
 * The search for one server's knee: which rate to try next, and what the trials so far say. With a yardstick, rates are shares of what the yardstick
 * answers at the moment: a machine that gets slower makes both servers slower.
 */
final class KneeSearch {
    /** Where it is searched, and where it is expected, as shares of what the server itself answers in a closed loop. */
    private static final double LEAST_SHARE = 0.02;
    private static final double EXPECTED_SHARE = 0.7;
    private static final double MOST_SHARE = 3;
    /** A closed loop over one connection shows less than a server holds; what the yardstick answers is a bound for any. */
    private static final double MOST_UNITS = 1.5;
    /** So close to the end of where it was searched it may as well lie outside. */
    private static final double EDGE = 1.2;
    /** An interval of which one end is so many times the other says nothing. */
    private static final double WIDEST = 10;
    /** A server that was getting warm looked known after 15. */
    private static final int FEWEST_TRIALS = 40;
    /** So many undisturbed trials with one outcome show that there is no knee. */
    private static final int ENOUGH = 8;
    private static final double TAIL = 0.025; // of the machine's readings on each side
    /**
     * Standard deviation, in logarithms, of the knees of one server started again and again, beyond what their trials explain: its code is compiled otherwise, its memory
     * lies elsewhere. Measured by `scripts/bench measuring`, two cores: 0.063 in all, of which trials explain 0.038.
     */
    private static final double BETWEEN_STARTS = 0.05;

    private final String url;
    private final boolean hasYardstick;
    private final double least;
    private final double most;
    private final Threshold threshold;
    private final List<Knees.Trial> trials = new ArrayList<>();
    private final List<Double> units = new ArrayList<>(); // at the start and at each trial, requests a second

    /**
     * @param hasYardstick whether rates are shares of one
     * @param closedPerSecond what the server answers in a closed loop
     * @param unitPerSecond what the yardstick answers; 1 without one
     */
    KneeSearch(String url, boolean hasYardstick, double closedPerSecond, double unitPerSecond) {
        this.url = url;
        this.hasYardstick = hasYardstick;
        double closed = closedPerSecond / unitPerSecond;
        least = LEAST_SHARE * closed;
        most = hasYardstick ? Math.max(MOST_SHARE * closed, MOST_UNITS) : MOST_SHARE * closed;
        threshold = new Threshold(least, EXPECTED_SHARE * closed, most);
        units.add(unitPerSecond);
    }

    /** In units. */
    double nextLevel(Random random) {
        return threshold.nextLevel(random);
    }

    /** @param unitPerSecond what the yardstick answered at that time; 1 without one */
    void learn(double level, double unitPerSecond, boolean held, Slice trial, Double percentileMs) {
        double cpuMicros = trial.cpuMicrosPerRequest();
        Slice.Answers answers = trial.answers();
        trials.add(new Knees.Trial(level * unitPerSecond, hasYardstick ? level : null, held, percentileMs,
                Math.min(1, (double) answers.errors() / Math.max(1, answers.requests())), (double) (answers.unsent() + answers.missing()) / Math.max(1, answers.planned()),
                Double.isFinite(cpuMicros) ? cpuMicros : null, trial.disturbed()));
        threshold.learn(level, held, trial.disturbed() != null);
        units.add(unitPerSecond);
    }

    int trials() {
        return trials.size();
    }

    /** Whether enough trials leave an interval that is as narrow as asked, by its half as a share of the knee. */
    boolean isKnown(double halfWidth) {
        return trials() >= FEWEST_TRIALS && threshold.found().halfWidth() <= halfWidth;
    }

    /** @param narrow whether its interval became as narrow as asked */
    Knees.Knee result(boolean narrow) {
        Threshold.Found found = threshold.found();
        String none = whyNone(found);
        Interval level = none != null ? null : new Interval(found.median(), found.low(), found.high()).times(Interval.ofDeviation(BETWEEN_STARTS));
        Interval perSecond = none != null ? null : level.times(unit());
        return new Knees.Knee(url, hasYardstick ? level : null, perSecond, found.spread(), found.lapse(), narrow,
                none != null ? none : String.format(Locale.ROOT, "%.0f/s, %.0f to %.0f/s with 95 %% confidence, from %d trials", perSecond.median(), perSecond.low(), perSecond.high(), trials()),
                List.copyOf(trials));
    }

    /** What the yardstick answered meanwhile: a rate is as uncertain as the machine was fast and slow. */
    private Interval unit() {
        double[] sorted = units.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        int outside = (int) (TAIL * sorted.length);
        return new Interval(Estimate.median(sorted), sorted[outside], sorted[sorted.length - 1 - outside]);
    }

    /** In words; null if there is a knee. */
    private String whyNone(Threshold.Found found) {
        if (trials.isEmpty()) {
            return "no knee: there was no time for a trial";
        }
        DoubleSummaryStatistics rates = trials.stream().mapToDouble(Knees.Trial::perSecond).summaryStatistics();
        if (isHardlyEverHeld(found)) {
            return String.format(Locale.ROOT, "no knee: hardly any of %d trials was held, and the lowest rate was %.0f/s%s", trials(), rates.getMin(), errors());
        }
        if (isNearlyAlwaysHeld(found)) {
            return String.format(Locale.ROOT, "no knee: nearly all of %d trials were held, and the highest rate was %.0f/s", trials(), rates.getMax());
        }
        if (isAnywhere(found)) {
            return String.format(Locale.ROOT, "no knee: %d trials from %.0f/s to %.0f/s were too few to see where it lies", trials(), rates.getMin(), rates.getMax());
        }
        return null;
    }

    /** In words, if trials have more of them than the service level tolerates. */
    private String errors() {
        double share = Knees.Trial.errorShare(trials);
        return share <= LoadResult.TOLERATED_ERROR_SHARE ? "" : String.format(Locale.ROOT, "; on average %.1f %% of a trial's answers were errors", 100 * share);
    }

    /** Whether more trials might show a knee, where those so far do not show where it lies. */
    boolean isOpen() {
        Threshold.Found found = threshold.found();
        return !trials.isEmpty() && !isHardlyEverHeld(found) && !isNearlyAlwaysHeld(found) && isAnywhere(found);
    }

    private boolean isHardlyEverHeld(Threshold.Found found) {
        return found.median() < EDGE * least || areEnough() && trials.stream().noneMatch(Knees.Trial::held);
    }

    private boolean isNearlyAlwaysHeld(Threshold.Found found) {
        return found.median() > most / EDGE || areEnough() && trials.stream().allMatch(Knees.Trial::held);
    }

    private boolean areEnough() {
        return trials.stream().filter(trial -> trial.disturbed() == null).count() >= ENOUGH;
    }

    private boolean isAnywhere(Threshold.Found found) {
        return found.low() < EDGE * least || found.high() > most / EDGE || found.high() > WIDEST * found.low();
    }
}
