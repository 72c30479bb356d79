// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.LongSupplier;
import lsmlab.storage.compaction.Job;
import lsmlab.storage.compaction.Run;
import lsmlab.storage.compaction.SortedTable;
import lsmlab.storage.compaction.TieredPolicy;
import lsmlab.storage.options.MergePolicy;
import org.junit.jupiter.api.Test;

/** The simulation does with its numbers what the engine does with its runs. */
class MergeSimulationTest {
    private static final int FLUSHES = 3_000;

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

    /** By the engine's own policy and runs. */
    private static void run(MergePolicy policy, int maxRuns, LongSupplier bytes) {
        TieredPolicy tiered = new TieredPolicy(policy, maxRuns, Long.MAX_VALUE);
        List<Run<Sketch>> runs = List.of();
        long number = 0;
        for (int flush = 0; flush < FLUSHES; flush++) {
            List<Run<Sketch>> newestFirst = new ArrayList<>(runs);
            newestFirst.addFirst(new Run<>(0, ++number, List.of(new Sketch(number, bytes.getAsLong()))));
            runs = newestFirst;
            for (Optional<Job<Sketch>> job = tiered.choose(runs); job.isPresent(); job = tiered.choose(runs)) {
                runs = job.get().applyTo(runs, List.of(new Sketch(++number, job.get().bytes())));
            }
        }
    }

    private static LongSupplier sizes() {
        Random random = new Random(7);
        return () -> 1 + random.nextInt(4);
    }

    @Test
    void thePolicyIsAskedTheSameQuestions() {
        Random random = new Random(11);
        List<MergePolicy> policies = List.of(MergePolicy.BINOMIAL,
                (bytes, levels, maxRuns) -> levels.length > maxRuns ? 2 + Math.floorMod(Arrays.hashCode(bytes), levels.length - 1) : 0,
                (bytes, levels, maxRuns) -> levels[0] == levels[1] ? 2 : 0);
        for (MergePolicy policy : policies) {
            int maxRuns = 2 + random.nextInt(8);
            List<String> simulated = new ArrayList<>();
            MergeSimulation.of(recording(policy, simulated), maxRuns, FLUSHES, sizes());
            List<String> real = new ArrayList<>();
            run(recording(policy, real), maxRuns, sizes());
            assertEquals(real, simulated);
        }
    }

    private static MergePolicy recording(MergePolicy policy, List<String> asked) {
        return (bytes, levels, maxRuns) -> {
            int chosen = policy.newestToMerge(bytes, levels, maxRuns);
            asked.add("%s %s %d".formatted(Arrays.toString(bytes), Arrays.toString(levels), chosen));
            return chosen;
        };
    }
}
