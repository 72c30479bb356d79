// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage.keys;

import java.util.List;
import lsmlab.storage.counters.ReadCounters;

/** Merges sorted sources with a binary heap of cursors. Of entries with the same key, that of the newest source wins. */
public final class MergeCursor extends Cursor {
    private final Cursor[] heap; // heap[0] has the lowest key, of equal keys the newest
    private final boolean dropTombstones;
    private int size;
    private boolean started;
    private long entries;
    private long comparisons;

    /**
     * @param commonBytes how many leading bytes all keys share
     * @param dropTombstones right only if no older source holds what they delete
     */
    public MergeCursor(List<Cursor> newestFirst, int commonBytes, boolean dropTombstones) {
        this.dropTombstones = dropTombstones;
        newestFirst.forEach(cursor -> cursor.skip(commonBytes));
        heap = new Cursor[newestFirst.size()];
        for (int age = 0; age < newestFirst.size(); age++) {
            Cursor cursor = newestFirst.get(age);
            cursor.age = age;
            if (cursor.next()) {
                entries++;
                heap[size++] = cursor;
            }
        }
        for (int i = size / 2 - 1; i >= 0; i--) {
            siftDown(i);
        }
    }

    @Override
    public boolean next() {
        while (true) {
            if (started && size > 0) {
                skipCurrentKey();
            }
            if (size == 0) {
                return false;
            }
            take(heap[0]);
            started = true;
            if (!(tombstone && dropTombstones)) {
                return true;
            }
        }
    }

    /** Adds what the merge took so far. */
    public void addTo(ReadCounters counters) {
        counters.runsScanned += heap.length;
        counters.entriesScanned += entries;
        counters.keysMerged += comparisons;
    }

    private void skipCurrentKey() {
        do {
            if (heap[0].next()) {
                entries++;
            } else {
                heap[0] = heap[--size];
            }
            if (size > 1) {
                siftDown(0);
            }
        } while (size > 0 && isAt(heap[0]));
    }

    private void siftDown(int place) {
        Cursor cursor = heap[place];
        int at = place;
        for (int child = 2 * at + 1; child < size; child = 2 * at + 1) {
            if (child + 1 < size && isBefore(heap[child + 1], heap[child])) {
                child++;
            }
            if (!isBefore(heap[child], cursor)) {
                break;
            }
            heap[at] = heap[child];
            at = child;
        }
        heap[at] = cursor;
    }

    private boolean isAt(Cursor cursor) {
        comparisons++;
        return compareTo(cursor) == 0;
    }

    private boolean isBefore(Cursor a, Cursor b) {
        comparisons++;
        int order = a.compareTo(b);
        return order != 0 ? order < 0 : a.age < b.age;
    }
}
