// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage.keys;

import java.util.List;

/** Merges sorted sources with a binary heap of cursors. Of entries with the same key, that of the newest source wins. */
public final class MergeCursor extends Cursor {
    private final Cursor[] heap; // heap[0] has the lowest key, of equal keys the newest
    private final int[] ages; // of the cursor at the same place; 0 is the newest source
    private final boolean dropTombstones;
    private int size;
    private boolean started;

    /**
     * @param commonBytes how many leading bytes all keys share
     * @param dropTombstones right only if no older source holds what they delete
     */
    public MergeCursor(List<Cursor> newestFirst, int commonBytes, boolean dropTombstones) {
        this.dropTombstones = dropTombstones;
        newestFirst.forEach(cursor -> cursor.skip(commonBytes));
        heap = new Cursor[newestFirst.size()];
        ages = new int[newestFirst.size()];
        for (int age = 0; age < newestFirst.size(); age++) {
            if (newestFirst.get(age).next()) {
                heap[size] = newestFirst.get(age);
                ages[size++] = age;
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

    private void skipCurrentKey() {
        do {
            if (!heap[0].next()) {
                size--;
                heap[0] = heap[size];
                ages[0] = ages[size];
            }
            if (size > 1) {
                siftDown(0);
            }
        } while (size > 0 && compareTo(heap[0]) == 0);
    }

    private void siftDown(int place) {
        Cursor cursor = heap[place];
        int age = ages[place];
        int at = place;
        for (int child = 2 * at + 1; child < size; child = 2 * at + 1) {
            if (child + 1 < size && isBefore(heap[child + 1], ages[child + 1], heap[child], ages[child])) {
                child++;
            }
            if (!isBefore(heap[child], ages[child], cursor, age)) {
                break;
            }
            heap[at] = heap[child];
            ages[at] = ages[child];
            at = child;
        }
        heap[at] = cursor;
        ages[at] = age;
    }

    private static boolean isBefore(Cursor a, int aAge, Cursor b, int bAge) {
        int order = a.compareTo(b);
        return order != 0 ? order < 0 : aAge < bAge;
    }
}
