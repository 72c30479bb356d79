// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage.compaction;

import java.util.List;
import java.util.Optional;

/** Decides what to merge next, from the shape of the store alone; so a simulation can run what the engine runs. */
public sealed interface CompactionPolicy permits TieredPolicy, LeveledPolicy {
    /** @param runs newest first */
    <T extends SortedTable> Optional<Job<T>> choose(List<Run<T>> runs);

    /** The runs that wait to be merged, as a multiple of the number at which a merge is chosen. */
    <T extends SortedTable> double backlog(List<Run<T>> runs);

    /** Whether writes should wait for compaction, or look-ups would have far too many runs to ask. */
    default <T extends SortedTable> boolean isBehind(List<Run<T>> runs) {
        return backlog(runs) > 3;
    }

    /** Whether it would soon be behind if merges did not take all the processor and disk that they can get. */
    default <T extends SortedTable> boolean isHurried(List<Run<T>> runs) {
        return backlog(runs) > 2;
    }

    /** Length at which an output table ends and the next begins. */
    long outputTableBytes();
}
