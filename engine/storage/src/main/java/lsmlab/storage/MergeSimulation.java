// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import java.util.Arrays;
import java.util.function.LongSupplier;
import lsmlab.storage.options.MergePolicy;

/**
 * What a merge policy does over a number of flushes, without writing anything. The runs are numbers only, since millions of flushes are to be
 * simulated in seconds; a test holds them against the engine's own runs. All tables cover the same keys, and a merge drops none.
 *
 * @param flushedBytes by all flushes
 * @param mergedBytes by all merges
 * @param mostRuns that were left when the policy had nothing more to merge
 */
public record MergeSimulation(long flushes, long flushedBytes, long mergedBytes, int mostRuns) {

    /**
     * @param maxRuns is passed to the policy: how many runs should be left
     * @param bytes of the next flush
     * @throws IllegalArgumentException when the policy chooses runs that are not there
     */
    public static MergeSimulation of(MergePolicy policy, int maxRuns, long flushes, LongSupplier bytes) {
        Runs runs = Runs.after(policy, maxRuns, flushes, bytes);
        return new MergeSimulation(flushes, runs.flushed, runs.merged, runs.most);
    }

    /** Sizes of the runs that are left, newest first, after the same. */
    public static long[] runsLeft(MergePolicy policy, int maxRuns, long flushes, LongSupplier bytes) {
        return Runs.after(policy, maxRuns, flushes, bytes).bytes();
    }

    /** Bytes written by flushes and merges, over those flushed. */
    public double writeAmplification() {
        return 1 + (double) mergedBytes / flushedBytes;
    }

    /** Oldest first, so that the newest come and go at the end. */
    private static final class Runs {
        private long[] bytes = new long[16];
        private int[] levels = new int[16];
        private int count;
        private long flushed;
        private long merged;
        private int most;

        static Runs after(MergePolicy policy, int maxRuns, long flushes, LongSupplier bytes) {
            Runs runs = new Runs();
            for (long flush = 0; flush < flushes; flush++) {
                runs.flush(bytes.getAsLong(), policy, maxRuns);
            }
            return runs;
        }

        private void flush(long size, MergePolicy policy, int maxRuns) {
            flushed += size;
            add(size);
            for (int newest = ask(policy, maxRuns); newest != 0; newest = ask(policy, maxRuns)) {
                merged += merge(newest);
            }
            most = Math.max(most, count);
        }

        private void add(long size) {
            if (count == bytes.length) {
                bytes = Arrays.copyOf(bytes, 2 * count);
                levels = Arrays.copyOf(levels, 2 * count);
            }
            bytes[count] = size;
            levels[count++] = 0;
        }

        private int ask(MergePolicy policy, int maxRuns) {
            return count < 2 ? 0 : policy.newestToMerge(bytes(), levels(), maxRuns);
        }

        private long merge(int newest) {
            MergePolicy.check(newest, count);
            int oldest = count - newest;
            long sum = 0;
            for (int i = oldest; i < count; i++) {
                sum += bytes[i];
            }
            int level = levels[oldest] + 1;
            levels[oldest] = oldest == 0 ? level : Math.min(level, levels[oldest - 1]);
            bytes[oldest] = sum;
            count = oldest + 1;
            return sum;
        }

        long[] bytes() {
            long[] newestFirst = new long[count];
            for (int i = 0; i < count; i++) {
                newestFirst[i] = bytes[count - 1 - i];
            }
            return newestFirst;
        }

        private int[] levels() {
            int[] newestFirst = new int[count];
            for (int i = 0; i < count; i++) {
                newestFirst[i] = levels[count - 1 - i];
            }
            return newestFirst;
        }
    }

    @Override
    public String toString() {
        return "%,d flushes: each byte was written %.2f times, at most %d runs".formatted(flushes, writeAmplification(), mostRuns);
    }
}
