// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import java.lang.foreign.MemorySegment;
import java.util.Collections;
import java.util.Iterator;
import java.util.NavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;

/**
 * The newest entries, sorted, in memory. Readers are many and take no lock; one writer at a time, under the engine's write lock.
 * After it is frozen nothing changes it.
 */
final class Memtable {
    private final ConcurrentSkipListMap<MemorySegment, MemorySegment> entries = new ConcurrentSkipListMap<>(Keys::compare);
    private volatile long tableBytes;

    /** REQUIRES: the engine's write lock, and that neither segment changes afterwards. */
    void put(MemorySegment key, MemorySegment value) {
        MemorySegment before = entries.put(key, value);
        tableBytes += before == null
                ? TableFormat.entryBytes(key.byteSize(), value.byteSize()) + TableFormat.OFFSET_BYTES
                : value.byteSize() - before.byteSize();
    }

    /** The value, {@link Entry#TOMBSTONE}, or null when the memtable knows nothing of the key. */
    MemorySegment get(MemorySegment key) {
        return entries.get(key);
    }

    /** Entries with from ≤ key < to, ascending; a null bound is open. Weakly consistent while the memtable is active. */
    Iterator<Entry> scan(MemorySegment from, MemorySegment to) {
        NavigableMap<MemorySegment, MemorySegment> range = entries;
        if (from != null) {
            range = range.tailMap(from, true);
        }
        if (to != null) {
            if (from != null && Keys.compare(from, to) >= 0) {
                return Collections.emptyIterator();
            }
            range = range.headMap(to, false);
        }
        var iterator = range.entrySet().iterator();
        return new Iterator<>() {
            @Override
            public boolean hasNext() {
                return iterator.hasNext();
            }

            @Override
            public Entry next() {
                var next = iterator.next();
                return new Entry(next.getKey(), next.getValue());
            }
        };
    }

    /** What the entries take in a table, footer apart. */
    long tableBytes() {
        return tableBytes;
    }

    int size() {
        return entries.size();
    }

    boolean isEmpty() {
        return entries.isEmpty();
    }
}
