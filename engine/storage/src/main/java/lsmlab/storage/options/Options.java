// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage.options;

import java.util.Objects;

/**
 * The choices an engine is opened with. {@link #defaults()} are the fast and safe ones; what the reports did stays selectable.
 *
 * @param flushThresholdBytes size of the table that the memtable would make, at which it is frozen and flushed; the reports' "block size"
 * @param pruning how a look-up skips tables
 * @param search how a look-up searches a table it could not skip
 * @param wal what an acknowledged write survives
 * @param backpressure what a write does that finds all memtables full
 * @param flushThreads memtables written at the same time, at least 1
 * @param maxFrozen full memtables that may wait for their flush, at least 1
 * @param reload what happens to the open tables after a flush
 * @param compaction which runs are merged, and when
 * @param compactionBytesPerSecond that merges read, if writes would not soon have to wait for them; 0: as many as they can
 * @param device the modelled disk that reads and writes are charged to, or null for none
 * @param extensions code from outside in the place of the engine's own choices
 */
public record Options(
        long flushThresholdBytes,
        Pruning pruning,
        Search search,
        Wal wal,
        Backpressure backpressure,
        int flushThreads,
        int maxFrozen,
        Reload reload,
        Compaction compaction,
        long compactionBytesPerSecond,
        DeviceModel device,
        Extensions extensions) {

    public static final long MAX_FLUSH_THRESHOLD_BYTES = 1 << 30;

    public Options {
        atLeastOne("flush threshold", flushThresholdBytes);
        if (flushThresholdBytes > MAX_FLUSH_THRESHOLD_BYTES) {
            throw new IllegalArgumentException("flush threshold is %d, it must be at most %d".formatted(
                    flushThresholdBytes, MAX_FLUSH_THRESHOLD_BYTES));
        }
        atLeastOne("number of flush threads", flushThreads);
        atLeastOne("number of frozen memtables", maxFrozen);
        if (compactionBytesPerSecond < 0) {
            throw new IllegalArgumentException("rate of compaction is %d, it must be at least 0".formatted(compactionBytesPerSecond));
        }
        Objects.requireNonNull(pruning);
        Objects.requireNonNull(search);
        Objects.requireNonNull(wal);
        Objects.requireNonNull(backpressure);
        Objects.requireNonNull(reload);
        Objects.requireNonNull(compaction);
        Objects.requireNonNull(extensions);
    }

    private static void atLeastOne(String what, long value) {
        if (value < 1) {
            throw new IllegalArgumentException("%s is %d, it must be at least 1".formatted(what, value));
        }
    }

    public static Options defaults() {
        return new Options(64L << 20, Pruning.BLOOM, Search.BLOCK_INDEX, Wal.OS, Backpressure.BLOCK, 1, 1, Reload.INCREMENTAL,
                Compaction.TIERED, 0, null, Extensions.NONE);
    }

    public Options withFlushThresholdBytes(long bytes) {
        return new Options(bytes, pruning, search, wal, backpressure, flushThreads, maxFrozen, reload, compaction, compactionBytesPerSecond, device, extensions);
    }

    public Options withPruning(Pruning pruning) {
        return new Options(flushThresholdBytes, pruning, search, wal, backpressure, flushThreads, maxFrozen, reload, compaction, compactionBytesPerSecond, device, extensions);
    }

    public Options withSearch(Search search) {
        return new Options(flushThresholdBytes, pruning, search, wal, backpressure, flushThreads, maxFrozen, reload, compaction, compactionBytesPerSecond, device, extensions);
    }

    public Options withWal(Wal wal) {
        return new Options(flushThresholdBytes, pruning, search, wal, backpressure, flushThreads, maxFrozen, reload, compaction, compactionBytesPerSecond, device, extensions);
    }

    public Options withBackpressure(Backpressure backpressure) {
        return new Options(flushThresholdBytes, pruning, search, wal, backpressure, flushThreads, maxFrozen, reload, compaction, compactionBytesPerSecond, device, extensions);
    }

    public Options withFlushThreads(int flushThreads) {
        return new Options(flushThresholdBytes, pruning, search, wal, backpressure, flushThreads, maxFrozen, reload, compaction, compactionBytesPerSecond, device, extensions);
    }

    public Options withMaxFrozen(int maxFrozen) {
        return new Options(flushThresholdBytes, pruning, search, wal, backpressure, flushThreads, maxFrozen, reload, compaction, compactionBytesPerSecond, device, extensions);
    }

    public Options withReload(Reload reload) {
        return new Options(flushThresholdBytes, pruning, search, wal, backpressure, flushThreads, maxFrozen, reload, compaction, compactionBytesPerSecond, device, extensions);
    }

    public Options withCompaction(Compaction compaction) {
        return new Options(flushThresholdBytes, pruning, search, wal, backpressure, flushThreads, maxFrozen, reload, compaction, compactionBytesPerSecond, device, extensions);
    }

    public Options withCompactionBytesPerSecond(long compactionBytesPerSecond) {
        return new Options(flushThresholdBytes, pruning, search, wal, backpressure, flushThreads, maxFrozen, reload, compaction, compactionBytesPerSecond, device, extensions);
    }

    /** A null model means that nothing is charged. */
    public Options withDevice(DeviceModel device) {
        return new Options(flushThresholdBytes, pruning, search, wal, backpressure, flushThreads, maxFrozen, reload, compaction, compactionBytesPerSecond, device, extensions);
    }

    public Options withExtensions(Extensions extensions) {
        return new Options(flushThresholdBytes, pruning, search, wal, backpressure, flushThreads, maxFrozen, reload, compaction, compactionBytesPerSecond, device, extensions);
    }
}
