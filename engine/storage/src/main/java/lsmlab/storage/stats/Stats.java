// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage.stats;

import java.util.Map;

/**
 * The engine's counters since it was opened, and its shape now; {@link lsmlab.storage.Engine#space} says what part of it is live. Bytes are of files or of
 * keys and values, times in nanoseconds.
 *
 * @param shape {@link lsmlab.storage.Engine#shape()}
 * @param trouble why writes are refused, or flushes or compactions fail, at the moment; null if they don't
 */
public record Stats(String shape, Writes writes, Reads reads, Background background, Waits waits, Held held, String trouble, Machine machine) {
    /**
     * What was written.
     *
     * @param userBytes keys and values of puts and deletes
     * @param groups commit groups; each was one record of the log
     * @param writeAmplification bytes written to log and tables per byte of {@code userBytes}
     */
    public record Writes(long puts, long deletes, long userBytes, long groups, long logBytes, double writeAmplification) {}

    /**
     * What gets and scans cost, all together.
     *
     * @param tablesAsked tables searched
     * @param prunedByRange tables skipped because the key was outside their range
     * @param prunedByBloom tables skipped by their Bloom filter, or by an extension's {@link lsmlab.storage.options.TableFilter}
     * @param bloomFalsePositives tables that this filter let pass, and that did not hold the key
     * @param prunedByMap runs skipped by the map of keys, whether the key is in their range or not
     * @param mapFalsePositives tables that the map let pass, and that did not hold the key
     * @param probes keys compared inside tables
     * @param blocksRead blocks read by gets, from the page cache or the disk
     * @param scans scans that are closed; those that were ended are not counted
     * @param runsScanned runs and memtables that they searched for their first key
     * @param entriesScanned entries that they read, replaced values and tombstones included
     * @param keysMerged comparisons of two keys that merging the runs took
     */
    public record Reads(long gets, long tablesAsked, long prunedByRange, long prunedByBloom, long bloomFalsePositives, long prunedByMap,
            long mapFalsePositives, long probes, long blocksRead, long scans, long runsScanned, long entriesScanned, long keysMerged) {}

    /**
     * What was done in the background.
     *
     * @param flushedBytes length of the tables written by flushes
     */
    public record Background(long flushes, long flushedBytes, long flushNanos, long compactions, long compactionReadBytes,
            long compactionWrittenBytes, long compactionNanos) {}

    /**
     * How writes had to wait.
     *
     * @param stalls writes that did, all causes together
     */
    public record Waits(long stalls, long stallNanos, long longestStallNanos, Map<StallCause, Stalls> stallsByCause) {}

    /** Waits of writes for one cause. */
    public record Stalls(long count, long totalNanos, long longestNanos) {
        public static final Stalls NONE = new Stalls(0, 0, 0);
    }

    /**
     * What the store holds now.
     *
     * @param runs sorted runs, the places where a get may have to look
     * @param tableBytes length of all tables
     * @param mapBytes memory of the map of keys; 0 without one
     * @param memtableBytes what the writes in the active memtable would take in a table
     * @param unreclaimedBytes tables replaced by compaction that a reader still holds
     * @param unreclaimedMemtableBytes memtables that are in tables by now and that a reader still holds
     * @param openScans scans that are not closed
     * @param endedScans scans that were ended because too much was kept for them
     */
    public record Held(int runs, int tables, long tableBytes, long mapBytes, long memtableBytes, long unreclaimedBytes, long unreclaimedMemtableBytes,
            int openScans, long endedScans) {}

    /**
     * What the machine did for it.
     *
     * @param minorFaults page faults of the process without a disk access, since it began; null where the system does not report them
     * @param majorFaults page faults of the process with a disk access, since it began; null where the system does not report them
     * @param device what the modelled device charged; null without one
     */
    public record Machine(Long minorFaults, Long majorFaults, Device device) {}

    /** Pages that the modelled device was asked for, those not in its cache, seeks among them, and the time charged. */
    public record Device(long pagesAsked, long pagesTransferred, long seeks, long chargedNanos) {}
}
