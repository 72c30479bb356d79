// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage.compaction;

import java.lang.foreign.MemorySegment;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import lsmlab.storage.keys.Keys;

/** A sorted sequence of entries: tables whose key ranges do not overlap, ascending. */
public final class Run<T extends SortedTable> {
    public static final Comparator<SortedTable> BY_FIRST_KEY = Comparator.comparing(SortedTable::firstKey, Keys::compare);

    /** Up to so many tables, a look-up counts those below its key without a branch. WHY: the processor would often mispredict it, and load late what comes next. */
    private static final int MOST_COUNTED = 16;

    private final int level;
    private final long id;
    private final List<T> tables;
    private final int commonPrefix; // length of what all keys begin with
    private final long[] firstPrefixes; // of each table's first key, after that: signed numbers that sort like the keys
    private final long[] lastPrefixes; // of the last keys

    /**
     * @param level 0 for a flushed memtable; older runs are never on a lower level than newer ones
     * @param id of two runs on one level the one with the higher id is newer
     * @param tables at least one
     */
    public Run(int level, long id, List<T> tables) {
        assert areDisjoint(tables) : "tables overlap";
        this.level = level;
        this.id = id;
        this.tables = tables;
        commonPrefix = Keys.commonPrefix(tables.getFirst().firstKey(), tables.getLast().lastKey());
        firstPrefixes = tables.stream().mapToLong(table -> prefix(table.firstKey())).toArray();
        lastPrefixes = tables.stream().mapToLong(table -> prefix(table.lastKey())).toArray();
    }

    /** A run of tables in any order. */
    public static <T extends SortedTable> Run<T> of(Place place, List<T> tables) {
        return new Run<>(place.level(), place.run(), tables.stream().sorted(BY_FIRST_KEY).toList());
    }

    /** Whether no two of the tables, in the order of their first keys, share keys. */
    public static boolean areDisjoint(List<? extends SortedTable> tables) {
        return IntStream.range(1, tables.size())
                .allMatch(i -> Keys.compare(tables.get(i - 1).lastKey(), tables.get(i).firstKey()) < 0);
    }

    public static <T extends SortedTable> List<Run<T>> ofLevel(List<Run<T>> runs, int level) {
        return runs.stream().filter(run -> run.level() == level).toList();
    }

    public int level() {
        return level;
    }

    public long id() {
        return id;
    }

    public Place place() {
        return new Place(level, id);
    }

    public List<T> tables() {
        return tables;
    }

    public long bytes() {
        long bytes = 0;
        for (int i = 0; i < tables.size(); i++) {
            bytes += tables.get(i).bytes();
        }
        return bytes;
    }

    public Keys.Span span() {
        return new Keys.Span(tables.getFirst().firstKey(), tables.getLast().lastKey());
    }

    private long prefix(MemorySegment key) {
        return Keys.prefixAfter(key, commonPrefix) ^ Long.MIN_VALUE;
    }

    private boolean sharesPrefix(MemorySegment key) {
        return Keys.startsWith(key, tables.getFirst().firstKey(), commonPrefix);
    }

    /** The table in whose range the key lies; null if there is none, or if it takes more than prefixes to know. */
    public T tableAround(MemorySegment key) {
        if (!sharesPrefix(key)) {
            return null;
        }
        long prefix = prefix(key);
        int index = lastPrefixes.length > MOST_COUNTED ? indexOf(key) : countEndingBelow(prefix);
        return index < lastPrefixes.length && firstPrefixes[index] < prefix && prefix < lastPrefixes[index] ? tables.get(index) : null;
    }

    private int countEndingBelow(long prefix) {
        int count = 0;
        for (long last : lastPrefixes) {
            count += last < prefix ? 1 : 0;
        }
        return count;
    }

    /** Index of the first table whose last key is not below {@code key}; the number of tables if there is none. */
    public int indexOf(MemorySegment key) {
        boolean shares = sharesPrefix(key);
        long prefix = shares ? prefix(key) : 0;
        int low = 0;
        int high = tables.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            int order = shares ? Long.compare(lastPrefixes[middle], prefix) : 0;
            if (order < 0 || order == 0 && Keys.compare(tables.get(middle).lastKey(), key) < 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }
}
