// SPDX-License-Identifier: Apache-2.0
package lsmlab.load.result;

import java.util.List;
import lsmlab.load.estimate.Estimate;

/**
 * Processor time of the server's process for a response, in microseconds.
 *
 * @param median over the slices of the run
 * @param low of the 95 % interval, as {@code high}; null if there are too few slices for one
 * @param slices in order, those without a response left out
 */
public record TargetCpu(double median, Double low, Double high, List<Double> slices) {
    /** Null if no slice has a response. */
    public static TargetCpu of(List<Double> slices) {
        if (slices.isEmpty()) {
            return null;
        }
        Estimate estimate = Estimate.ofSeries(slices.stream().mapToDouble(Math::log).toArray());
        return new TargetCpu(Math.exp(estimate.centre()), end(estimate.low()), end(estimate.high()), slices);
    }

    private static Double end(double log) {
        return Double.isNaN(log) ? null : Math.exp(log);
    }

    public Interval interval() {
        return low == null ? new Interval(median, 0, Double.POSITIVE_INFINITY) : new Interval(median, low, high);
    }
}
