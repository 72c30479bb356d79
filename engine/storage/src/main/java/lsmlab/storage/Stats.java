// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import java.util.Map;

/**
 * The engine's counters since it was opened, and its shape now; {@link Engine#space} says what part of it is live. Bytes are of files or of keys and values, times in nanoseconds.
 *
 * @param shape {@link Engine#shape()}
 * @param userBytes keys and values of puts and deletes
 * @param groups commit groups; each was one record of the log
 * @param tablesAsked tables searched by gets, all gets together
 * @param prunedByRange tables that gets skipped because the key was outside their range
 * @param prunedByBloom tables that gets skipped by their Bloom filter, or by an extension's {@link TableFilter}
 * @param bloomFalsePositives tables that this filter let pass, and that did not hold the key
 * @param probes keys compared inside tables by gets
 * @param blocksRead blocks that gets read, from the page cache or the disk
 * @param flushedBytes length of the tables written by flushes
 * @param stalls writes that had to wait, all causes together
 * @param runs sorted runs, the places where a get may have to look
 * @param tableBytes length of all tables
 * @param unreclaimedBytes tables replaced by compaction that a reader still holds
 * @param unreclaimedMemtableBytes memtables that are in tables by now and that a reader still holds
 * @param openScans scans that are not closed
 * @param endedScans scans that were ended because too much was kept for them
 * @param trouble why writes are refused, or flushes or compactions fail, at the moment; null if they don't
 * @param memtableBytes what the writes in the active memtable would take in a table
 * @param writeAmplification bytes written to log and tables per byte of {@code userBytes}
 * @param minorFaults page faults of the process without a disk access, since it began; null where the system does not report them
 * @param majorFaults page faults of the process with a disk access, since it began; null where the system does not report them
 * @param device what the modelled device charged; null without one
 */
public record Stats(
        String shape,
        long puts,
        long deletes,
        long userBytes,
        long groups,
        long logBytes,
        long gets,
        long tablesAsked,
        long prunedByRange,
        long prunedByBloom,
        long bloomFalsePositives,
        long probes,
        long blocksRead,
        long flushes,
        long flushedBytes,
        long flushNanos,
        long compactions,
        long compactionReadBytes,
        long compactionWrittenBytes,
        long compactionNanos,
        long stalls,
        long stallNanos,
        long longestStallNanos,
        Map<StallCause, Stalls> stallsByCause,
        int runs,
        int tables,
        long tableBytes,
        long unreclaimedBytes,
        long unreclaimedMemtableBytes,
        int openScans,
        long endedScans,
        String trouble,
        long memtableBytes,
        double writeAmplification,
        Long minorFaults,
        Long majorFaults,
        Device device) {

    /** Waits of writes for one cause. */
    public record Stalls(long count, long totalNanos, long longestNanos) {
        static final Stalls NONE = new Stalls(0, 0, 0);
    }

    /** Pages that the modelled device was asked for, those not in its cache, seeks among them, and the time charged. */
    public record Device(long pagesAsked, long pagesTransferred, long seeks, long chargedNanos) {}

    static Stats of(Versions versions, Reclaimer reclaimer, Counters counters, Throwable compactionTrouble, ModelledDevice device) {
        Tree tree = versions.tree();
        ReadCounters reads = versions.readers().total();
        Throwable trouble = versions.trouble() != null ? versions.trouble() : compactionTrouble;
        Map<StallCause, Stalls> stalls = counters.stalls();
        PageFaults faults = PageFaults.ofThisProcess();
        long userBytes = counters.userBytes.sum();
        long written = counters.logBytes.sum() + counters.flushedBytes.sum() + counters.compactionWrittenBytes.sum();
        return new Stats(tree.shape(), counters.puts.sum(), counters.deletes.sum(), userBytes, counters.groups.sum(), counters.logBytes.sum(),
                reads.gets, reads.tablesAsked, reads.prunedByRange, reads.prunedByBloom, reads.bloomFalsePositives,
                reads.probes, reads.blocksRead,
                counters.flushes.sum(), counters.flushedBytes.sum(), counters.flushNanos.sum(),
                counters.compactions.sum(), counters.compactionReadBytes.sum(), counters.compactionWrittenBytes.sum(),
                counters.compactionNanos.sum(),
                stalls.values().stream().mapToLong(Stalls::count).sum(),
                stalls.values().stream().mapToLong(Stalls::totalNanos).sum(),
                stalls.values().stream().mapToLong(Stalls::longestNanos).max().orElse(0),
                stalls, tree.runs().size(), tree.tables().size(), tree.tables().stream().mapToLong(Table::bytes).sum(),
                reclaimer.diskBytes(), reclaimer.memoryBytes(), versions.readers().scans(), reclaimer.endedScans(),
                trouble == null ? null : trouble.toString(), tree.active().tableBytes(), userBytes == 0 ? 0 : (double) written / userBytes,
                faults == null ? null : faults.minor(), faults == null ? null : faults.major(), device == null ? null : device.stats());
    }
}
