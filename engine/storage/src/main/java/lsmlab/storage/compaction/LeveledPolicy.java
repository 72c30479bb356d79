// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage.compaction;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Level 0 takes the flushed memtables; each older level is one run, and may have ten times the bytes of the level before it. Level 0 is merged
 * into level 1 as a whole; from a level that is too large, the table that overlaps least with the next one goes down.
 *
 * @param maxLevel0Runs at which level 0 is merged
 * @param level1Bytes that level 1 may have
 */
public record LeveledPolicy(int maxLevel0Runs, long level1Bytes, long outputTableBytes) implements CompactionPolicy {
    private static final int FACTOR = 10;

    @Override
    public <T extends SortedTable> Optional<Job<T>> choose(List<Run<T>> runs) {
        List<Run<T>> level0 = Run.ofLevel(runs, 0);
        if (level0.size() >= maxLevel0Runs) {
            String because = "L0 has %d runs >= %d".formatted(level0.size(), maxLevel0Runs);
            return Optional.of(intoNextLevel(runs, level0, 1, because));
        }
        for (Run<T> run : runs) {
            List<Run<T>> same = Run.ofLevel(runs, run.level());
            if (run.level() > 0 && same.size() > 1) {
                String because = "L%d has %d runs, as another policy leaves them".formatted(run.level(), same.size());
                return Optional.of(Job.of(runs, same, run.level(), same.getLast().id(), because));
            }
            double allowed = level1Bytes * Math.pow(FACTOR, run.level() - 1);
            if (run.level() > 0 && run.bytes() > allowed) {
                String because = String.format(Locale.ROOT, "L%d has %.1f MB > %.1f MB; the table that overlaps L%d least",
                        run.level(), run.bytes() / 1e6, allowed / 1e6, run.level() + 1);
                Run<T> part = new Run<>(run.level(), run.id(), List.of(leastOverlapping(runs, run)));
                return Optional.of(intoNextLevel(runs, List.of(part), run.level() + 1, because));
            }
        }
        return Optional.empty();
    }

    private static <T extends SortedTable> T leastOverlapping(List<Run<T>> runs, Run<T> run) {
        Optional<Run<T>> below = level(runs, run.level() + 1);
        T least = null;
        double leastRatio = Double.POSITIVE_INFINITY;
        for (T table : run.tables()) {
            List<Run<T>> alone = List.of(new Run<>(run.level(), run.id(), List.of(table)));
            long overlap = below.map(b -> Job.overlapping(b, alone).stream().mapToLong(SortedTable::bytes).sum()).orElse(0L);
            double ratio = (double) overlap / table.bytes();
            if (ratio < leastRatio) {
                leastRatio = ratio;
                least = table;
            }
        }
        return least;
    }

    private static <T extends SortedTable> Job<T> intoNextLevel(List<Run<T>> runs, List<Run<T>> from, int level, String because) {
        List<Run<T>> inputs = new ArrayList<>(from);
        Optional<Run<T>> target = level(runs, level);
        target.map(run -> Job.overlapping(run, from)).filter(tables -> !tables.isEmpty())
                .ifPresent(tables -> inputs.add(new Run<>(level, target.get().id(), tables)));
        return Job.of(runs, inputs, level, target.orElse(from.getLast()).id(), because);
    }

    private static <T extends SortedTable> Optional<Run<T>> level(List<Run<T>> runs, int level) {
        return Run.ofLevel(runs, level).stream().findFirst();
    }

    @Override
    public <T extends SortedTable> double backlog(List<Run<T>> runs) {
        return (double) Run.ofLevel(runs, 0).size() / maxLevel0Runs;
    }
}
