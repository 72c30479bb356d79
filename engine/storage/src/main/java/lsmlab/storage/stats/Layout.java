// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage.stats;

import java.util.List;

/**
 * What the store's tree looks like at one moment, for a picture of it.
 *
 * @param activeBytes what the writes in the active memtable would take in a table
 * @param frozenBytes the same of each memtable that waits for its flush or is being flushed, newest first
 * @param runs newest first
 * @param stall what writes wait for at this moment until something is done; null: nothing (delays by {@link StallCause#SLOWDOWN} are not shown)
 */
public record Layout(long activeBytes, List<Long> frozenBytes, List<Run> runs, StallCause stall) {
    /**
     * A sorted run.
     *
     * @param level 0 for a flushed memtable
     * @param id unique on its level; a newer run has a higher one
     * @param merging whether a compaction reads some of it at this moment
     */
    public record Run(int level, long id, int tables, long bytes, boolean merging) {}
}
