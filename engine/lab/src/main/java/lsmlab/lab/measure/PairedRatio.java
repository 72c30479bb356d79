// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.measure;

import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

/**
 * One over another, measured in turns: of the ratios of the rounds the geometric mean, and the 95 % confidence interval of Student's t.
 * Two runs of one machine differ by more than students do, so what lies within the interval is not decided.
 */
public record PairedRatio(double mean, double low, double high, int rounds) {
    /** Two-sided 95 % quantiles of Student's t for 1, 2, ... degrees of freedom. */
    private static final double[] T = {12.71, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131};

    /** Whether a bound is kept. */
    public enum Outcome {
        YES, NO, INCONCLUSIVE;

        /** Whether this bound and another one are kept; one that is not decides, whatever is known of the other. */
        public Outcome and(Outcome other) {
            return this == NO || other == NO ? NO : this == YES ? other : this;
        }
    }

    public static PairedRatio of(List<Run> runs, List<Run> others, ToDoubleFunction<Run> value) {
        double[] logs = IntStream.range(0, runs.size()).mapToDouble(i -> Math.log(value.applyAsDouble(runs.get(i)) / value.applyAsDouble(others.get(i)))).toArray();
        return of(logs);
    }

    public static PairedRatio of(double... logs) {
        int n = logs.length;
        if (n < 2 || n > T.length + 1) {
            throw new IllegalArgumentException("%d rounds, it takes 2 to %d".formatted(n, T.length + 1));
        }
        double mean = IntStream.range(0, n).mapToDouble(i -> logs[i]).average().orElseThrow();
        double variance = IntStream.range(0, n).mapToDouble(i -> (logs[i] - mean) * (logs[i] - mean)).sum() / (n - 1);
        double half = T[n - 2] * Math.sqrt(variance / n);
        return new PairedRatio(Math.exp(mean), Math.exp(mean - half), Math.exp(mean + half), n);
    }

    /** Whether it is at most the bound, as far as can be said. */
    public Outcome isAtMost(double bound) {
        return high <= bound ? Outcome.YES : low > bound ? Outcome.NO : Outcome.INCONCLUSIVE;
    }

    /** Whether it is at least the bound, as far as can be said. */
    public Outcome isAtLeast(double bound) {
        return low >= bound ? Outcome.YES : high < bound ? Outcome.NO : Outcome.INCONCLUSIVE;
    }

    @Override
    public String toString() {
        return "%.2f (%.2f to %.2f in %d rounds)".formatted(mean, low, high, rounds);
    }
}
