// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import lsmlab.storage.compaction.Job;
import lsmlab.storage.compaction.Run;
import lsmlab.storage.compaction.SortedTable;
import lsmlab.storage.compaction.TieredPolicy;
import lsmlab.storage.options.MergePolicy;

/**
 * What a merge policy does over a number of flushes, by the engine's own runs, without writing anything. All tables cover the same keys, and
 * a merge drops none.
 *
 * @param flushedBytes by all flushes
 * @param mergedBytes by all merges
 * @param mostRuns that were left when the policy had nothing more to merge
 */
public record MergeSimulation(long flushes, long flushedBytes, long mergedBytes, int mostRuns) {

    private record Sketch(long number, long bytes) implements SortedTable {
        private static final MemorySegment KEY = MemorySegment.ofArray(new byte[] {'k'});

        @Override
        public MemorySegment firstKey() {
            return KEY;
        }

        @Override
        public MemorySegment lastKey() {
            return KEY;
        }
    }

    /**
     * @param maxRuns that should be left, as the policy is told
     * @param bytes of the next flush
     * @throws IllegalArgumentException when the policy chooses runs that are not there
     */
    public static MergeSimulation of(MergePolicy policy, int maxRuns, long flushes, LongSupplier bytes) {
        TieredPolicy tiered = new TieredPolicy(policy, maxRuns, Long.MAX_VALUE);
        List<Run<Sketch>> runs = List.of();
        long number = 0;
        long flushed = 0;
        long merged = 0;
        int most = 0;
        for (long flush = 0; flush < flushes; flush++) {
            Sketch table = new Sketch(++number, bytes.getAsLong());
            flushed += table.bytes();
            List<Run<Sketch>> newestFirst = new ArrayList<>(runs);
            newestFirst.addFirst(new Run<>(0, number, List.of(table)));
            runs = newestFirst;
            for (Optional<Job<Sketch>> job = tiered.choose(runs); job.isPresent(); job = tiered.choose(runs)) {
                long size = job.get().bytes();
                merged += size;
                runs = job.get().applyTo(runs, List.of(new Sketch(++number, size)));
            }
            most = Math.max(most, runs.size());
        }
        return new MergeSimulation(flushes, flushed, merged, most);
    }

    /** Bytes written by flushes and merges, over those flushed. */
    public double writeAmplification() {
        return 1 + (double) mergedBytes / flushedBytes;
    }

    @Override
    public String toString() {
        return "%,d flushes: each byte was written %.2f times, at most %d runs".formatted(flushes, writeAmplification(), mostRuns);
    }
}
