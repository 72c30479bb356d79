// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import java.util.List;
import java.util.Optional;

/** What a {@link MergePolicy} chooses, carried out. */
record ExtensionPolicy(MergePolicy merges, int maxRuns, long outputTableBytes) implements CompactionPolicy {
    private static final int BEHIND_FACTOR = 3;

    @Override
    public <T extends SortedTable> Optional<Job<T>> choose(List<Run<T>> runs) {
        if (runs.size() < 2) {
            return Optional.empty();
        }
        int count = merges.newestToMerge(runs.stream().mapToLong(Run::bytes).toArray(), runs.stream().mapToInt(Run::level).toArray(), maxRuns);
        if (count == 0) {
            return Optional.empty();
        }
        if (count < 2 || count > runs.size()) {
            throw new IllegalArgumentException("the merge policy chose %d of %d runs, it must be 0 or at least 2".formatted(count, runs.size()));
        }
        List<Run<T>> inputs = runs.subList(0, count);
        int level = inputs.getLast().level() + 1;
        if (count < runs.size()) {
            level = Math.min(level, runs.get(count).level());
        }
        // The newest input's id is higher than that of any run already on the level of the result.
        return Optional.of(Job.of(runs, inputs, level, inputs.getFirst().id(), "%d of %d runs, by an extension".formatted(count, runs.size())));
    }

    @Override
    public <T extends SortedTable> boolean isBehind(List<Run<T>> runs) {
        return runs.size() > BEHIND_FACTOR * maxRuns;
    }
}
