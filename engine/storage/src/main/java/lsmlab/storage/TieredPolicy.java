// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import java.util.List;
import java.util.Optional;

/**
 * Keeps the number of runs within a bound. A run's level says how often its entries were merged. When there is one run too many, those
 * of the lowest level that has company are merged, with all below it, into one run of the next level. This is the binomial transform
 * (Bentley and Saxe: Decomposable Searching Problems, 1980), which writes least for a bound on runs (Mathieu, Rajaraman, Young, Yousefi:
 * Competitive Data-Structure Dynamization, 2021). When there are more too many, because the bound was a higher one, so many of the
 * newest are merged that the rest is within it.
 *
 * @param maxRuns at least 1
 */
public record TieredPolicy(int maxRuns, long outputTableBytes) implements CompactionPolicy {
    private static final int BEHIND_FACTOR = 3;

    @Override
    public <T extends SortedTable> Optional<Job<T>> choose(List<Run<T>> runs) {
        if (runs.size() <= maxRuns) {
            return Optional.empty();
        }
        int count = Math.max(runs.size() - maxRuns + 1, sizeOfNewest(runs, runs.get(1).level()));
        List<Run<T>> inputs = runs.subList(0, count);
        int level = inputs.getLast().level();
        boolean hasPeers = count < runs.size() && runs.get(count).level() == level;
        String because = "%d runs > %d; the newest %d are of levels up to %d".formatted(runs.size(), maxRuns, count, level);
        // The newest input's id is higher than that of any run already on the level of the result.
        return Optional.of(Job.of(runs, inputs, hasPeers ? level : level + 1, inputs.getFirst().id(), because));
    }

    private static <T extends SortedTable> int sizeOfNewest(List<Run<T>> runs, int maxLevel) {
        return (int) runs.stream().takeWhile(run -> run.level() <= maxLevel).count();
    }

    @Override
    public <T extends SortedTable> boolean isBehind(List<Run<T>> runs) {
        return runs.size() > BEHIND_FACTOR * maxRuns;
    }
}
