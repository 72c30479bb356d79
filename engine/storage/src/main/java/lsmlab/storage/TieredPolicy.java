// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import java.util.List;
import java.util.Optional;

/**
 * Keeps the number of runs within a bound by merging some of the newest into one. A run's level grows with how often its entries were merged.
 *
 * @param merges decides how many runs are merged
 * @param maxRuns at least 1
 */
public record TieredPolicy(MergePolicy merges, int maxRuns, long outputTableBytes) implements CompactionPolicy {
    /**
     * When there is one run too many, those of the lowest level that has company are merged, with all below it. This is the binomial
     * transform (Bentley and Saxe: Decomposable Searching Problems, 1980), which writes least for a bound on runs (Mathieu, Rajaraman,
     * Young, Yousefi: Competitive Data-Structure Dynamization, 2021). When there are more too many, because the bound was a higher one,
     * so many of the newest are merged that the rest is within it.
     */
    public static final MergePolicy BINOMIAL = TieredPolicy::newestOfBinomial;

    private static final int BEHIND_FACTOR = 3;

    private static int newestOfBinomial(long[] bytes, int[] levels, int maxRuns) {
        if (levels.length <= maxRuns) {
            return 0;
        }
        int count = Math.max(2, levels.length - maxRuns + 1);
        while (count < levels.length && levels[count] <= levels[1]) {
            count++;
        }
        return count;
    }

    @Override
    public <T extends SortedTable> Optional<Job<T>> choose(List<Run<T>> runs) {
        int count = runs.size() < 2 ? 0
                : merges.newestToMerge(runs.stream().mapToLong(Run::bytes).toArray(), runs.stream().mapToInt(Run::level).toArray(), maxRuns);
        if (count == 0) {
            return Optional.empty();
        }
        MergePolicy.check(count, runs.size());
        List<Run<T>> inputs = runs.subList(0, count);
        int level = inputs.getLast().level();
        boolean hasPeers = count < runs.size() && runs.get(count).level() == level;
        String because = "%d runs %s %d; the newest %d are of levels up to %d".formatted(
                runs.size(), runs.size() > maxRuns ? ">" : "<=", maxRuns, count, level);
        // The newest input's id is higher than that of any run already on the level of the result.
        return Optional.of(Job.of(runs, inputs, hasPeers ? level : level + 1, inputs.getFirst().id(), because));
    }

    @Override
    public <T extends SortedTable> boolean isBehind(List<Run<T>> runs) {
        return runs.size() > BEHIND_FACTOR * maxRuns;
    }
}
