// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/**
 * What the store holds at one moment. Immutable: a transition returns a new tree, and a reader that took one keeps a consistent view.
 *
 * @param active takes the writes
 * @param flushing frozen memtables on their way to disk, newest first
 * @param tables flushed memtables, newest first
 */
record Tree(Memtable active, List<Memtable> flushing, List<Table> tables) {

    /** The active memtable is full: it becomes the newest frozen one, an empty one takes its place. */
    Tree frozen() {
        return new Tree(new Memtable(), prepend(active, flushing), tables);
    }

    /** The oldest frozen memtable is on disk: its table takes its place. */
    Tree flushed(Memtable memtable, Table table) {
        if (flushing.getLast() != memtable) {
            throw new IllegalStateException("memtables must be flushed oldest first, or a table would hide a newer one");
        }
        // A copy: a view of the list would keep the flushed memtable in memory.
        return new Tree(active, List.copyOf(flushing.subList(0, flushing.size() - 1)), prepend(table, tables));
    }

    /** Newest source first; the first answer ends the search, a tombstone included. Null when no source knows the key. */
    MemorySegment find(Lookup lookup, Pruning pruning) {
        MemorySegment value = active.get(lookup.key);
        lookup.memtable("memtable", value);
        for (int i = 0; value == null && i < flushing.size(); i++) {
            value = flushing.get(i).get(lookup.key);
            lookup.memtable("frozen memtable", value);
        }
        for (int i = 0; value == null && i < tables.size(); i++) {
            value = tables.get(i).find(lookup, pruning);
        }
        return value;
    }

    /** Live entries with from ≤ key < to, ascending; a null bound is open. */
    Iterator<Entry> scan(MemorySegment from, MemorySegment to) {
        List<Iterator<Entry>> newestFirst = new ArrayList<>();
        newestFirst.add(active.scan(from, to));
        flushing.forEach(memtable -> newestFirst.add(memtable.scan(from, to)));
        tables.forEach(table -> newestFirst.add(table.scan(from, to)));
        return new MergeIterator(newestFirst);
    }

    /** "mem 2 | frozen 0 | tables 3": entries in memory, frozen memtables, tables. */
    String shape() {
        return "mem %d | frozen %d | tables %d".formatted(active.size(), flushing.size(), tables.size());
    }

    private static <T> List<T> prepend(T first, List<T> rest) {
        List<T> list = new ArrayList<>(rest.size() + 1);
        list.add(first);
        list.addAll(rest);
        return List.copyOf(list);
    }
}
