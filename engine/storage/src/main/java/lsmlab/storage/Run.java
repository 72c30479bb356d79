// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * A sorted sequence of entries: tables whose key ranges do not overlap, ascending.
 *
 * @param level 0 for flushed memtables and tiers; below it a level has one run
 * @param id of two runs on level 0 the one with the higher id is newer
 */
public record Run<T extends SortedTable>(int level, long id, List<T> tables) {

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
        int low = 0;
        int high = tables.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (Keys.compare(tables.get(middle).lastKey(), key) < 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }
}
