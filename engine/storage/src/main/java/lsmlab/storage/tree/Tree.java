// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage.tree;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import lsmlab.storage.compaction.Job;
import lsmlab.storage.compaction.Place;
import lsmlab.storage.compaction.Run;
import lsmlab.storage.format.Format;
import lsmlab.storage.keys.Cursor;
import lsmlab.storage.keys.Keys;
import lsmlab.storage.keys.Lookup;
import lsmlab.storage.keys.MergeCursor;
import lsmlab.storage.memtable.Memtable;
import lsmlab.storage.stats.KeyRange;
import lsmlab.storage.stats.Layout;
import lsmlab.storage.stats.Space;
import lsmlab.storage.stats.StallCause;
import lsmlab.storage.system.Freeable;
import lsmlab.storage.table.GroupLookup;
import lsmlab.storage.table.KeyMap;
import lsmlab.storage.table.Table;

/**
 * What the store holds at one moment. Immutable: a transition returns a new tree, and a reader that took one keeps a consistent view.
 *
 * @param active takes the writes
 * @param frozen full memtables on their way to disk, newest first
 * @param runs sorted runs of tables, newest first
 * @param mapping what a map of keys says of the runs; null: there is no map
 */
public record Tree(Memtable active, List<Memtable> frozen, List<Run<Table>> runs, Mapping mapping) {

    /** The active memtable is full: it becomes the newest frozen one, an empty one takes its place. */
    Tree frozen(Memtable empty) {
        return new Tree(empty, prepend(active, frozen), runs, mapping);
    }

    /** The oldest frozen memtable is on disk: its table takes its place, as a run of its own. */
    Tree flushed(Memtable memtable, Table table) {
        if (frozen.getLast() != memtable) {
            throw new IllegalStateException("memtables must be flushed oldest first, or a table would hide a newer one");
        }
        // A copy: a view of the list would keep the flushed memtable in memory.
        List<Memtable> rest = List.copyOf(frozen.subList(0, frozen.size() - 1));
        List<Run<Table>> after = prepend(new Run<>(0, memtable.number, List.of(table)), runs);
        return new Tree(active, rest, after, mapping == null ? null : mapping.over(after));
    }

    /** The job's outputs take the place of its inputs. */
    Tree compacted(Job<Table> job, List<Table> outputs) {
        List<Run<Table>> after = job.applyTo(runs, outputs);
        return new Tree(active, frozen, after, mapping == null ? null : mapping.merged(job.numbers(), outputs, after));
    }

    /** The job's inputs become one run as they are: they share no keys. */
    Tree moved(Job<Table> job) {
        Set<Long> numbers = job.numbers();
        return compacted(job, tables().stream().filter(table -> numbers.contains(table.number())).toList());
    }

    /** With a map of keys, or without one. */
    Tree mapped(Mapping other) {
        return new Tree(active, frozen, runs, other == null ? null : other.over(runs));
    }

    /** The same files, opened anew. REQUIRES: as many tables as there are, in the order of {@link #tables}. */
    Tree reloaded(List<Table> reopened) {
        Iterator<Table> next = reopened.iterator();
        List<Run<Table>> after = runs.stream().map(run -> new Run<>(run.level(), run.id(), run.tables().stream().map(_ -> next.next()).toList())).toList();
        return new Tree(active, frozen, after, mapping);
    }

    /** Newest source first; the first answer ends the search, a tombstone included. */
    public void find(Lookup lookup, boolean askEveryTable) {
        touchMap(lookup); // first, so that its line is on its way while memtables are asked
        boolean found = active.find(lookup);
        lookup.explain("memtable", lookup.outcome());
        for (int i = 0; !found && i < frozen.size(); i++) {
            found = frozen.get(i).find(lookup);
            lookup.explain("frozen memtable", lookup.outcome());
        }
        if (askEveryTable) {
            for (int i = 0; !found && i < runs.size(); i++) {
                found = findInAny(runs.get(i).tables(), lookup);
            }
        } else if (!found) {
            askMap(lookup);
            Table table = next(lookup);
            while (table != null && !table.search(lookup)) {
                table = next(lookup);
            }
        }
    }

    private void touchMap(Lookup lookup) {
        if (mapping != null) {
            lookup.touched += mapping.map.touch(lookup.hash);
        }
    }

    private void askMap(Lookup lookup) {
        lookup.groups = mapping == null ? KeyMap.ANY_GROUP : mapping.map.groups(lookup.hash);
    }

    private boolean isRuledOut(int run, Lookup lookup) {
        return mapping != null && mapping.rulesOut(run, lookup.groups);
    }

    private static boolean findInAny(List<Table> tables, Lookup lookup) {
        boolean found = false;
        for (int i = 0; !found && i < tables.size(); i++) {
            found = tables.get(i).find(lookup);
        }
        return found;
    }

    /** The next table that may hold the key, from the newest run on; null: there is none. */
    private Table next(Lookup lookup) {
        while (true) {
            while (lookup.turn()) {
                passOver(lookup);
                Table table = Table.aimed(lookup);
                if (table != null && table.mayHold(lookup)) {
                    return table;
                }
            }
            passOver(lookup);
            if (lookup.runs() == runs.size()) {
                return null;
            }
            aim(lookup);
            lookup.touchFilters();
        }
    }

    /** At the next runs that the map does not rule out, at the one table of each that can hold the key. */
    private void aim(Lookup lookup) {
        int run = lookup.runs();
        for (lookup.clearAims(); run < runs.size() && lookup.hasRoom(); run++) {
            if (!isRuledOut(run, lookup)) {
                Table.aim(lookup, run, tableOf(run, lookup));
            }
        }
        lookup.aimedUpTo(run);
    }

    /** The map has ruled out the runs over which the look-up passed when it turned. */
    private void passOver(Lookup lookup) {
        lookup.counters.prunedByMap += lookup.endPassed - lookup.firstPassed;
        for (int i = lookup.firstPassed; lookup.isExplained() && i < lookup.endPassed; i++) {
            Table table = tableOf(i, lookup);
            lookup.explain(table == null ? "run %d".formatted(i + 1) : table.name(), "skipped by the map of keys");
        }
    }

    /** The same for each of them, step by step for all: so the processor waits once for what several look-ups read, and not for each in turn. */
    public void findAll(Lookup[] lookups) {
        Lookup[] open = lookups.clone(); // in front those that have no answer yet
        int count = findEach(active, open, open.length);
        for (int i = 0; i < frozen.size(); i++) {
            count = findEach(frozen.get(i), open, count);
        }
        for (int n = 0; n < count; n++) {
            touchMap(open[n]);
        }
        for (int n = 0; n < count; n++) {
            askMap(open[n]);
            aim(open[n]);
        }
        for (int n = 0; n < count; n++) {
            open[n].touchFilters();
        }
        Table[] tables = new Table[count];
        while (count > 0) {
            int asked = 0;
            for (int n = 0; n < count; n++) {
                Table table = next(open[n]);
                if (table != null) {
                    tables[asked] = table;
                    open[asked++] = open[n];
                }
            }
            count = GroupLookup.findAll(tables, open, asked);
        }
    }

    private static int findEach(Memtable memtable, Lookup[] open, int count) {
        int left = 0;
        for (int i = 0; i < count; i++) {
            if (!memtable.find(open[i])) {
                open[left++] = open[i];
            }
        }
        return left;
    }

    /** The only table of a run that can hold the key; null: none can. Sets what is known of the key and this table. */
    private Table tableOf(int index, Lookup lookup) {
        lookup.isMapped = mapping != null && lookup.groups != KeyMap.ANY_GROUP && mapping.isMapped(index);
        Run<Table> run = runs.get(index);
        Table around = run.tableAround(lookup.key);
        lookup.isInside = around != null;
        if (around != null) {
            return around;
        }
        List<Table> tables = run.tables();
        int at = tables.size() == 1 ? 0 : run.indexOf(lookup.key);
        return at < tables.size() ? tables.get(at) : null;
    }

    /** Entries with a key of at least {@code from}, null for all, newest values only; tombstones among them unless they are dropped. */
    public MergeCursor cursor(MemorySegment from, boolean dropTombstones) {
        List<Cursor> newestFirst = new ArrayList<>();
        newestFirst.add(active.cursor(from));
        frozen.forEach(memtable -> newestFirst.add(memtable.cursor(from)));
        runs.forEach(run -> newestFirst.add(new RunCursor(run, from)));
        // The cursors show what was written before they were made; so no key that they show can be missing from these.
        List<Keys.Span> spans = new ArrayList<>();
        spans.add(active.span());
        frozen.forEach(memtable -> spans.add(memtable.span()));
        runs.forEach(run -> spans.add(run.span()));
        return new MergeCursor(newestFirst, Keys.commonPrefix(spans), dropTombstones);
    }

    /** All entries of a run, tombstones included. */
    public static Cursor cursorOver(Run<Table> run) {
        return new RunCursor(run, null);
    }

    public List<Table> tables() {
        return runs.stream().flatMap(run -> run.tables().stream()).toList();
    }

    /** Length of all tables. */
    public long tableBytes() {
        return runs.stream().mapToLong(Run::bytes).sum();
    }

    /** Walks through all entries. */
    public Space space() {
        long entries = 0;
        long live = 0;
        for (Cursor cursor = cursor(null, true); cursor.next();) {
            entries++;
            live += cursor.keyLength + cursor.valueLength;
        }
        long memtables = active.tableBytes() + frozen.stream().mapToLong(Memtable::tableBytes).sum();
        return new Space(entries, live, tableBytes() + memtables);
    }

    /** Of the tables, newest first. */
    public List<KeyRange> keyRanges() {
        return runs.stream().flatMap(run -> run.tables().stream()
                .map(table -> new KeyRange(table.number(), run.level(), Keys.copy(table.firstKey()), Keys.copy(table.lastKey())))).toList();
    }

    /**
     * @param stall what writes wait for; null: for nothing
     * @param merging runs that a compaction reads
     */
    public Layout layout(StallCause stall, Set<Place> merging) {
        return new Layout(active.tableBytes(), frozen.stream().map(Memtable::tableBytes).toList(),
                runs.stream().map(run -> new Layout.Run(run.level(), run.id(), run.tables().size(), run.bytes(), merging.contains(run.place()))).toList(), stall);
    }

    /** Memtables, tables and the map of keys. */
    Set<Freeable> parts() {
        Set<Freeable> parts = new LinkedHashSet<>();
        parts.add(active);
        parts.addAll(frozen);
        runs.forEach(run -> parts.addAll(run.tables()));
        if (mapping != null) {
            parts.add(mapping.map);
        }
        return parts;
    }

    /** The same without memtables, for readers of tables only. */
    public Tree onlyTables() {
        return new Tree(null, List.of(), runs, null);
    }

    /** Whether a scan of this tree reads it. */
    boolean isScanned(Freeable part) {
        return active == part || frozen.contains(part) || runs.stream().anyMatch(run -> run.tables().contains(part));
    }

    /** Memory of the map of keys; 0 without one. */
    public long mapBytes() {
        return mapping == null ? 0 : mapping.map.bytes();
    }

    Manifest manifest(long store, long generation, long newestLog, long nextNumber) {
        List<Manifest.Placement> placements = runs.stream().flatMap(run -> run.tables().stream()
                .map(table -> new Manifest.Placement(table.number(), run.place()))).toList();
        long firstLog = frozen.isEmpty() ? active.number : frozen.getLast().number;
        return new Manifest(Format.VERSION, store, generation, newestLog, placements, firstLog, nextNumber);
    }

    /** "mem 2 | frozen 0 | L0 3 | L1 1 (12 tables)": writes in memory, frozen memtables, runs on each level. */
    public String shape() {
        StringBuilder shape = new StringBuilder("mem %d | frozen %d | L0 %d".formatted(active.size(), frozen.size(), Run.ofLevel(runs, 0).size()));
        int lowest = runs.isEmpty() ? 0 : runs.getLast().level();
        for (int level = 1; level <= lowest; level++) {
            List<Run<Table>> same = Run.ofLevel(runs, level);
            int tables = same.stream().mapToInt(run -> run.tables().size()).sum();
            shape.append(" | L%d %d".formatted(level, same.size())).append(tables == same.size() ? "" : " (%d tables)".formatted(tables));
        }
        return shape.toString();
    }

    private static <T> List<T> prepend(T first, List<T> rest) {
        List<T> list = new ArrayList<>(rest.size() + 1);
        list.add(Objects.requireNonNull(first));
        list.addAll(rest);
        return List.copyOf(list);
    }

    /** Frees all of it. REQUIRES: no readers. */
    public void close() {
        parts().forEach(Freeable::close);
    }
}
