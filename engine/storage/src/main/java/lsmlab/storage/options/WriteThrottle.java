// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage.options;

/** Delays writes before all memtables are full. The engine's own {@link Backpressure} applies after it. */
public interface WriteThrottle {
    /** The longest delay that one answer of {@link #delayNanos} gives. */
    long MAX_DELAY_NANOS = 1_000_000_000;

    /**
     * What is known when a group of writes is about to be applied.
     *
     * @param memtableBytes that the writes in the active memtable would take in a table
     * @param flushThresholdBytes at which it is full
     * @param frozen full memtables that wait for their flush or are being flushed
     * @param maxFrozen how many of them there may be
     * @param groupBytes that the group would take in a table
     * @param flushNanosPerByte that flushes took so far, on average; 0 before the first
     */
    record State(long memtableBytes, long flushThresholdBytes, int frozen, int maxFrozen, long groupBytes, double flushNanosPerByte) {}

    /** How long this group must wait, in nanoseconds; 0 or less: not at all. Called for one group at a time. */
    long delayNanos(State state);
}
