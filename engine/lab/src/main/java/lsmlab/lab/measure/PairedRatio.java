// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.measure;

import java.util.Arrays;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;
import lsmlab.load.estimate.Estimate;
import lsmlab.load.result.Interval;

/**
 * One over another, measured in turns: the centre of the rounds' ratios, with a 95 % interval ({@link Estimate#ofSeries}: rounds that follow each other may be
 * alike). It holds for these servers as they were started. A bound within the interval is neither kept nor missed: one machine differs from itself by as much.
 */
public record PairedRatio(double mean, double low, double high, int rounds) {
    /** An interval takes this many. */
    public static final int LEAST_ROUNDS = 2;

    public static PairedRatio of(List<Run> runs, List<Run> others, ToDoubleFunction<Run> value) {
        double[] logs = IntStream.range(0, runs.size()).mapToDouble(i -> Math.log(value.applyAsDouble(runs.get(i)) / value.applyAsDouble(others.get(i)))).toArray();
        return of(logs);
    }

    public static PairedRatio of(double... logs) {
        if (logs.length < LEAST_ROUNDS) {
            throw new IllegalArgumentException("%d rounds, it takes %d or more".formatted(logs.length, LEAST_ROUNDS));
        }
        Estimate estimate = Estimate.ofSeries(logs);
        if (Arrays.stream(logs).anyMatch(Double::isNaN)) { // a round in which one of them is not known
            return new PairedRatio(Double.NaN, 0, Double.POSITIVE_INFINITY, logs.length);
        }
        return new PairedRatio(Math.exp(estimate.centre()), Math.exp(estimate.low()), Math.exp(estimate.high()), logs.length);
    }

    public Interval interval() {
        return new Interval(mean, low, high);
    }

    /** Whether it is at most the bound, as far as can be said. */
    public Outcome isAtMost(double bound) {
        return Outcome.isAtMost(interval(), bound);
    }

    /** Whether it is at least the bound, as far as can be said. */
    public Outcome isAtLeast(double bound) {
        return Outcome.isAtLeast(interval(), bound);
    }

    @Override
    public String toString() {
        return "%.2f (%.2f to %.2f in %d rounds)".formatted(mean, low, high, rounds);
    }
}
