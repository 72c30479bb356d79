// SPDX-License-Identifier: Apache-2.0
package lsmlab.load.knee;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.DoubleFunction;
import java.util.function.Function;
import java.util.function.Predicate;
import lsmlab.load.result.LoadResult;

/**
 * The search for the knee, the highest rate that is held: upwards as long as rates are held, each time by a larger factor, downwards as
 * long as they are not, then between the two until they lie close together. Both ends of the result were tried; the lower one as often
 * as was asked, and held each time.
 *
 * @param held a run at the knee
 * @param notHeldPerSecond the lowest rate tried that was not held
 * @param steps every run of the search, in order
 */
public record Ladder<R>(R held, double notHeldPerSecond, List<R> steps) {
    /** There is no knee, in words that say why. */
    public static final class NotFoundException extends RuntimeException {
        public NotFoundException(String message) {
            super(message);
        }
    }

    /** The first rate to try, as a share of what a saturated server answers. */
    public static final double FIRST_SHARE = 0.93;
    /** From one rate to the next, unless a coarser result will do. */
    private static final double SMALLEST_FACTOR = 1.15;
    private static final double LARGEST_FACTOR = 2;
    private static final int MAX_STEPS_WITHOUT = 8;
    private static final int MAX_STEPS = 50;

    /**
     * @param first requests a second to begin with
     * @param least the lowest rate that a step can judge; none lower is tried
     * @param close where the search stops: not held over held
     * @param times how often the knee must be held, without once not being held
     * @param step runs a rate; rates are whole numbers, at least 1
     * @throws NotFoundException when nothing is held, or nothing reliably
     */
    public static <R> Ladder<R> climb(double first, double least, double close, int times, DoubleFunction<R> step, Predicate<R> isHeld,
            Function<R, LoadResult> result) {
        double factor = Math.max(SMALLEST_FACTOR, 0.95 * close);
        List<R> steps = new ArrayList<>();
        List<R> held = new ArrayList<>(); // below all that were not
        double notHeld = Double.NaN;
        double next = Math.max(first, least);
        double up = factor;
        int stepsWithout = 0;
        while (true) {
            double tried = Math.max(1, Math.round(next));
            if (tried < least) {
                throw noneHeldFrom(least);
            }
            R run = step.apply(tried);
            steps.add(run);
            double rate = result.apply(run).requestedPerSecond();
            if (isHeld.test(run)) {
                held.add(run);
            } else {
                notHeld = rate;
                held.removeIf(other -> result.apply(other).requestedPerSecond() >= rate);
            }
            R best = held.stream().max(Comparator.comparingDouble(other -> result.apply(other).requestedPerSecond())).orElse(null);
            if (best == null) {
                stepsWithout++;
                next = Math.min(rate, result.apply(run).achievedPerSecond() / FIRST_SHARE) / factor;
            } else {
                stepsWithout = 0;
                double bestRate = result.apply(best).requestedPerSecond();
                long timesHeld = held.stream().filter(other -> result.apply(other).requestedPerSecond() == bestRate).count();
                if (Double.isNaN(notHeld)) {
                    next = up * bestRate;
                    up = Math.min(LARGEST_FACTOR, up * up);
                } else if (notHeld / bestRate > close && notHeld - bestRate > 1) {
                    next = Math.sqrt(bestRate * notHeld);
                } else if (timesHeld < times) {
                    next = bestRate;
                } else {
                    return new Ladder<>(best, notHeld, steps);
                }
            }
            if (stepsWithout == MAX_STEPS_WITHOUT) {
                throw noneHeldFrom(next);
            }
            if (steps.size() == MAX_STEPS) {
                throw new NotFoundException("%d runs found no knee: about %.0f/s are held in one run and not in the next".formatted(MAX_STEPS, next));
            }
        }
    }

    private static NotFoundException noneHeldFrom(double rate) {
        return new NotFoundException("no rate from %.0f/s up was held; is something else busy on this machine?".formatted(rate));
    }
}
