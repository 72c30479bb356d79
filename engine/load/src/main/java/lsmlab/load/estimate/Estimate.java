// SPDX-License-Identifier: Apache-2.0
package lsmlab.load.estimate;

import java.util.Arrays;
import java.util.stream.IntStream;
import org.apache.commons.statistics.descriptive.Median;
import org.apache.commons.statistics.distribution.NormalDistribution;
import org.apache.commons.statistics.distribution.TDistribution;

/**
 * The centre of a distribution from a sample, with a 95 % interval.
 *
 * @param low of the interval, as {@code high}; both are NaN if there are too few values for one
 */
public record Estimate(double centre, double low, double high) {
    private static final double CONFIDENCE = 0.95;
    /** With fewer values even the widest interval of ranks holds the centre less often than that. */
    private static final int FEWEST_FOR_RANKS = 6;
    private static final double MOST_CORRELATED = 0.8;
    /** In the place of an infinite value, as the logarithm of a ratio to nothing is: its rank counts. */
    private static final double ENDLESS = 1e9;

    /**
     * Of independent values that lie symmetrically about their centre, whatever their distribution: the median of the means of all pairs (Hodges and
     * Lehmann 1963), with the interval that Wilcoxon's signed ranks give. A quarter of the values may be far out. Of fewer than six values:
     * mean and Student's t.
     */
    public static Estimate of(double[] values) {
        double[] finite = Arrays.stream(values).map(value -> Math.clamp(value, -ENDLESS, ENDLESS)).toArray();
        if (values.length < FEWEST_FOR_RANKS) {
            return ofMean(finite);
        }
        double[] means = pairMeans(finite);
        int outside = ranksOutside(values.length);
        return new Estimate(median(means), means[outside], means[means.length - 1 - outside]);
    }

    /**
     * The same of values in the order of time, six or more of which say less than independent ones if neighbours are alike: where the machine changes slowly. The
     * interval is longer by the root of (1 + r) / (1 - r), with r the correlation of neighbours (Bayley and Hammersley 1946), unless that is negative. It is that of
     * independent values if one is infinite.
     */
    public static Estimate ofSeries(double[] values) {
        Estimate independent = of(values);
        double r = values.length < FEWEST_FOR_RANKS || !Arrays.stream(values).allMatch(Double::isFinite) ? 0 : correlationOfNeighbours(values, independent.centre);
        double longer = Math.sqrt((1 + r) / (1 - r));
        return new Estimate(independent.centre, independent.centre - longer * (independent.centre - independent.low),
                independent.centre + longer * (independent.high - independent.centre));
    }

    /** From 0 to the most that is believed. That of a sample is too small by about 1/n. */
    private static double correlationOfNeighbours(double[] values, double centre) {
        double[] deviations = Arrays.stream(values).map(value -> value - centre).toArray();
        double squares = Arrays.stream(deviations).map(deviation -> deviation * deviation).sum();
        double products = IntStream.range(1, deviations.length).mapToDouble(i -> deviations[i - 1] * deviations[i]).sum();
        return squares == 0 ? 0 : Math.clamp(products / squares + 1.0 / values.length, 0, MOST_CORRELATED);
    }

    private static Estimate ofMean(double[] values) {
        int n = values.length;
        double mean = Arrays.stream(values).average().orElse(Double.NaN);
        double variance = Arrays.stream(values).map(value -> (value - mean) * (value - mean)).sum() / (n - 1);
        double half = n < 2 ? Double.NaN : TDistribution.of(n - 1).inverseSurvivalProbability((1 - CONFIDENCE) / 2) * Math.sqrt(variance / n);
        return new Estimate(mean, mean - half, mean + half);
    }

    /** Ascending; each value with itself, too. */
    private static double[] pairMeans(double[] values) {
        int n = values.length;
        double[] means = new double[n * (n + 1) / 2];
        int at = 0;
        for (int i = 0; i < n; i++) {
            for (int j = i; j < n; j++) {
                means[at++] = (values[i] + values[j]) / 2;
            }
        }
        Arrays.sort(means);
        return means;
    }

    /** Of values in any order; NaN without any. */
    public static double median(double[] values) {
        return Median.withDefaults().evaluate(values);
    }

    /** How many standard deviations the 95 % interval of a normal distribution reaches to each side. */
    public static double normalDeviations() {
        return NormalDistribution.of(0, 1).inverseSurvivalProbability((1 - CONFIDENCE) / 2);
    }

    /** How many of the pairs' means lie outside of the interval on each side: the largest k with P(signed-rank sum <= k) of at most 2.5 %. */
    private static int ranksOutside(int n) {
        double[] ways = new double[n * (n + 1) / 2 + 1]; // in which signs give each sum of ranks, as shares of all 2^n
        ways[0] = 1;
        for (int rank = 1; rank <= n; rank++) {
            for (int sum = ways.length - 1; sum >= 0; sum--) {
                ways[sum] = (ways[sum] + (sum >= rank ? ways[sum - rank] : 0)) / 2;
            }
        }
        int outside = 0;
        double below = ways[0];
        while (below <= (1 - CONFIDENCE) / 2) {
            outside++;
            below += ways[outside];
        }
        return outside - 1;
    }
}
