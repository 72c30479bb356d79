// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage.options;

/** What a write does that finds the active memtable full and no place among the frozen ones (claim 000-3). */
public enum Backpressure {
    /** It waits for a flush. */
    BLOCK,
    /** It is refused with {@link lsmlab.storage.WriteRefusedException}; nothing was written. */
    FAIL,
    /** It waits for a flush, and asks again and again instead of sleeping. */
    SPIN,
    /** Writes are spread over the time that the flush takes, by its measured rate, and wait only when that was too fast. */
    SLOWDOWN
}
