// SPDX-License-Identifier: Apache-2.0
package lsmlab.load.result;

import java.util.List;

/**
 * Several targets loaded in turns. {@code --json} writes these fields beside those of the first target's {@link LoadResult}.
 *
 * @param ratios of each target but the first to the first, for each measure
 * @param targets all slices of each as one run
 * @param slices all of them, in order
 * @param method how they were loaded
 */
public record RoundsResult(List<Ratio> ratios, List<LoadResult> targets, List<Slice> slices, Method method) {
    /**
     * @param load in words: "closed loop", or the rate and how requests come
     * @param rounds that were asked for
     * @param warmupSeconds of load before the first round
     * @param level whether service times had stopped falling by then
     * @param lostShare of the time of all rounds that was in no slice: switching, and waiting for late answers
     */
    public record Method(String load, double sliceSeconds, int rounds, double warmupSeconds, boolean level, double lostShare) {}
}
