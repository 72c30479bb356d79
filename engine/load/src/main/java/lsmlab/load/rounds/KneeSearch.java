// SPDX-License-Identifier: Apache-2.0
package lsmlab.load.rounds;

import java.util.ArrayList;
import java.util.List;
import lsmlab.load.estimate.Estimate;
import lsmlab.load.estimate.Threshold;
import lsmlab.load.result.Interval;
import lsmlab.load.result.Knees;

/**
 * The search for one server's knee: which rate to try next, and what the trials so far say. With a yardstick, rates are shares of what the yardstick
 * answers at the moment: a machine that gets slower makes both servers slower.
 */
final class KneeSearch {
    /** Where it is searched, as shares of what the server itself answers in a closed loop. */
    private static final double LEAST_SHARE = 0.02;
    private static final double MOST_SHARE = 1.5;
    /** So close to the end of where it was searched it may as well lie outside. */
    private static final double EDGE = 1.2;

    private final String url;
    private final boolean hasYardstick;
    private final double least;
    private final double most;
    private final Threshold threshold;
    private final List<Knees.Trial> trials = new ArrayList<>();
    private final List<Double> units = new ArrayList<>(); // at the start and at the trials that count, requests a second

    /**
     * @param closedPerSecond what the server answers in a closed loop
     * @param unitPerSecond what the yardstick answers; 1: there is none
     */
    KneeSearch(String url, double closedPerSecond, double unitPerSecond) {
        this.url = url;
        hasYardstick = unitPerSecond != 1;
        least = LEAST_SHARE * closedPerSecond / unitPerSecond;
        most = MOST_SHARE * closedPerSecond / unitPerSecond;
        threshold = new Threshold(least, most);
        units.add(unitPerSecond);
    }

    /** In units. */
    double nextLevel() {
        return threshold.nextLevel();
    }

    /** @param disturbed why the trial is no evidence; null if it is */
    void learn(double level, double unitPerSecond, boolean held, Double percentileMs, String disturbed) {
        trials.add(new Knees.Trial(level * unitPerSecond, hasYardstick ? level : null, held, percentileMs, disturbed));
        if (disturbed == null) {
            threshold.learn(level, held);
            units.add(unitPerSecond);
        }
    }

    /** Trials that count. */
    int trials() {
        return threshold.trials();
    }

    double halfWidth() {
        return threshold.found().halfWidth();
    }

    Knees.Knee result() {
        Threshold.Found found = threshold.found();
        Interval level = new Interval(found.median(), found.low(), found.high());
        double unit = Estimate.median(units.stream().mapToDouble(Double::doubleValue).sorted().toArray());
        return new Knees.Knee(url, hasYardstick ? level : null, level.times(unit), found.spread(), found.lapse(), words(found, unit), List.copyOf(trials));
    }

    private String words(Threshold.Found found, double unit) {
        if (trials() == 0) {
            return "no knee: %s".formatted(trials.isEmpty() ? "there was no time for a trial" : "all trials were disturbed: " + trials.getLast().disturbed());
        }
        if (found.low() < EDGE * least) {
            return "no knee: none of the rates from %.0f/s up is surely held".formatted(least * unit);
        }
        if (found.high() > most / EDGE) {
            return "no knee: rates up to %.0f/s may be held, more than the server answers in a closed loop".formatted(most * unit);
        }
        return "%.0f/s, %.0f to %.0f/s with 95 %% confidence, from %d trials".formatted(found.median() * unit, found.low() * unit, found.high() * unit, trials());
    }
}
