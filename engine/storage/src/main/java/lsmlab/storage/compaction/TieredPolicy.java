// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage.compaction;

import java.util.List;
import java.util.Optional;
import lsmlab.storage.options.MergePolicy;

/**
 * Keeps the number of runs within a bound by merging some of the newest into one. A run's level grows with how often its entries were merged.
 *
 * @param merges decides how many runs are merged
 * @param maxRuns at least 1
 */
public record TieredPolicy(MergePolicy merges, int maxRuns, long outputTableBytes) implements CompactionPolicy {
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
    public <T extends SortedTable> double backlog(List<Run<T>> runs) {
        return (double) runs.size() / maxRuns;
    }
}
