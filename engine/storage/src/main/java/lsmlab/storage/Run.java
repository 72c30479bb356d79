// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.stream.IntStream;

/** A sorted sequence of entries: tables whose key ranges do not overlap, ascending. */
public final class Run<T extends SortedTable> {
    private final int level;
    private final long id;
    private final List<T> tables;
    private final int commonPrefix; // length of what all keys begin with
    private final long[] lastPrefixes; // of each table's last key, after that

    /**
     * @param level 0 for a flushed memtable; older runs are never on a lower level than newer ones
     * @param id of two runs on one level the one with the higher id is newer
     * @param tables at least one
     */
    public Run(int level, long id, List<T> tables) {
        assert IntStream.range(1, tables.size()).allMatch(
                i -> Keys.compare(tables.get(i - 1).lastKey(), tables.get(i).firstKey()) < 0) : "tables overlap";
        this.level = level;
        this.id = id;
        this.tables = tables;
        commonPrefix = Keys.commonPrefix(List.of(span()));
        lastPrefixes = tables.stream().map(SortedTable::lastKey)
                .mapToLong(key -> Keys.prefix(key, commonPrefix, key.byteSize() - commonPrefix)).toArray();
    }

    public int level() {
        return level;
    }

    public long id() {
        return id;
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

    Keys.Span span() {
        return new Keys.Span(tables.getFirst().firstKey(), tables.getLast().lastKey());
    }

    /** Index of the first table whose last key is not below {@code key}; the number of tables if there is none. */
    int indexOf(MemorySegment key) {
        boolean shares = Keys.startsWith(key, tables.getFirst().firstKey(), commonPrefix);
        long prefix = shares ? Keys.prefix(key, commonPrefix, key.byteSize() - commonPrefix) : 0;
        int low = 0;
        int high = tables.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            int order = shares ? Long.compareUnsigned(lastPrefixes[middle], prefix) : 0;
            if (order < 0 || order == 0 && Keys.compare(tables.get(middle).lastKey(), key) < 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }
}
