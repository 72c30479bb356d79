// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage.compaction;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import lsmlab.storage.keys.Keys;

/**
 * One compaction: what is merged, and where the result belongs.
 *
 * @param inputs runs, or parts of runs, newest first, with no other run between them
 * @param level of the run that the result becomes, or becomes part of
 * @param run id of that run
 * @param dropTombstones nothing older than the inputs holds what their tombstones delete
 * @param because the policy's reason, in words
 */
public record Job<T extends SortedTable>(List<Run<T>> inputs, int level, long run, boolean dropTombstones, String because) {

    /** @param runs all of the store's, newest first */
    public static <T extends SortedTable> Job<T> of(List<Run<T>> runs, List<Run<T>> inputs, int level, long run, String because) {
        return new Job<>(inputs, level, run, !olderOverlaps(runs, inputs), because);
    }

    private static <T extends SortedTable> boolean olderOverlaps(List<Run<T>> runs, List<Run<T>> inputs) {
        Run<T> oldest = inputs.getLast();
        int index = 0;
        while (runs.get(index).level() != oldest.level() || runs.get(index).id() != oldest.id()) {
            index++;
        }
        return runs.subList(index + 1, runs.size()).stream().anyMatch(older -> !overlapping(older, inputs).isEmpty());
    }

    /** The tables of a run that share keys with the span of the inputs. */
    static <T extends SortedTable> List<T> overlapping(Run<T> run, List<Run<T>> inputs) {
        MemorySegment first = inputs.stream().map(input -> input.span().first()).min(Keys::compare).orElseThrow();
        MemorySegment last = inputs.stream().map(input -> input.span().last()).max(Keys::compare).orElseThrow();
        return run.tables().stream()
                .filter(table -> Keys.compare(table.lastKey(), first) >= 0 && Keys.compare(table.firstKey(), last) <= 0).toList();
    }

    public List<T> tables() {
        return inputs.stream().flatMap(input -> input.tables().stream()).toList();
    }

    public Set<Long> numbers() {
        return tables().stream().map(SortedTable::number).collect(Collectors.toSet());
    }

    public long bytes() {
        return inputs.stream().mapToLong(Run::bytes).sum();
    }

    /** The runs, newest first, when the outputs have taken the place of the inputs. */
    public List<Run<T>> applyTo(List<Run<T>> runs, List<T> outputs) {
        Set<Long> gone = numbers();
        List<Run<T>> after = new ArrayList<>();
        List<T> joined = new ArrayList<>(outputs);
        for (Run<T> before : runs) {
            List<T> rest = before.tables().stream().filter(table -> !gone.contains(table.number())).toList();
            if (before.level() == level && before.id() == run) {
                joined.addAll(rest);
            } else if (!rest.isEmpty()) {
                after.add(new Run<>(before.level(), before.id(), rest));
            }
        }
        if (!joined.isEmpty()) {
            after.add(Run.of(new Place(level, run), joined));
        }
        after.sort(Comparator.comparing(Run::place));
        return List.copyOf(after);
    }
}
