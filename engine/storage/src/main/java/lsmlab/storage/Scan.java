// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import java.lang.foreign.MemorySegment;
import java.util.Iterator;
import java.util.NoSuchElementException;

/**
 * The live entries of a range as they were when the scan began, ascending. Keys and values are views: they stay until {@link #close},
 * or until the end was reached. What the scan shows is kept on disk and in memory that long, so it must be closed. For one thread at a
 * time.
 */
public final class Scan implements Iterator<Entry>, AutoCloseable {
    private final Versions versions;
    private final Lookup hold;
    private final Cursor cursor;
    private final MemorySegment to;
    private boolean open = true;
    private boolean moved; // the cursor is at an entry that was not handed out

    Scan(Versions versions, Lookup hold, Cursor cursor, MemorySegment to) {
        this.versions = versions;
        this.hold = hold;
        this.cursor = cursor;
        this.to = to;
    }

    @Override
    public boolean hasNext() {
        if (!moved && open) {
            moved = cursor.next() && (to == null || cursor.compareTo(to) < 0);
            if (!moved) {
                close();
            }
        }
        return moved;
    }

    @Override
    public Entry next() {
        if (!hasNext()) {
            throw new NoSuchElementException();
        }
        moved = false;
        return new Entry(cursor.key(), cursor.bytes.asSlice(cursor.valueAt, cursor.valueLength));
    }

    @Override
    public void close() {
        if (open) {
            open = false;
            moved = false;
            hold.giveBack();
            versions.reclaim();
        }
    }
}
