// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage.stats;

/** Why a write had to wait. */
public enum StallCause {
    /** All memtables were full. */
    MEMTABLES,
    /** Writes were spread over the time of a flush ({@link lsmlab.storage.options.Backpressure#SLOWDOWN}). */
    SLOWDOWN,
    /** Compaction was so far behind that look-ups would have had too many runs to ask. */
    COMPACTION
}
