// SPDX-License-Identifier: Apache-2.0
package lsmlab.load.result;

import java.util.List;
import lsmlab.load.estimate.Estimate;

/**
 * Several targets loaded in turns. {@code --json} writes these fields beside those of the first target's {@link LoadResult}.
 *
 * @param ratios of each target but the first to the first, for each measure
 * @param targets all slices of each as one run
 * @param slices all of them, in order
 * @param method how they were loaded
 */
public record RoundsResult(List<Ratio> ratios, List<LoadResult> targets, List<Slice> slices, Method method) {
    /** A target's own value of a measure of {@link Ratio}: the median over the slices that count; NaN if unknown. */
    public double median(int target, String measure) {
        double[] values = Pair.of(slices, target, target).stream().mapToDouble(pair -> pair.target().value(measure)).filter(value -> !Double.isNaN(value)).toArray();
        return Estimate.median(values);
    }

    /** Whether more than half of the rounds of a target and the first one were disturbed: then all count, and the intervals may be too narrow. */
    public boolean isMostlyDisturbed(int target) {
        return Pair.of(slices, 0, target).stream().anyMatch(pair -> !pair.isClean());
    }

    /**
     * @param load in words: "closed loop", or the rate and how requests come
     * @param rounds that were finished
     * @param warmupSeconds of load before the first round
     * @param level whether service times had stopped falling by then
     * @param lostShare of the time of all rounds that was in no slice: switching, and waiting for late answers
     */
    public record Method(String load, double sliceSeconds, int rounds, double warmupSeconds, boolean level, double lostShare) {}
}
