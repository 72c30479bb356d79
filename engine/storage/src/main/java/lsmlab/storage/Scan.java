// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import java.lang.foreign.MemorySegment;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The live entries of a range as they were when the scan began, ascending. Keys and values are views, valid until {@link #close} or the end of
 * the scan. The store keeps everything that the scan shows until then, so it must be closed. A slow scan that makes the store keep too much
 * ends with a {@link ScanEndedException}. For one thread at a time.
 */
public final class Scan implements Iterator<Entry>, AutoCloseable {
    private final long number;
    private final Versions versions;
    private final Reader hold;
    private final MemorySegment to;
    private final AtomicBoolean open = new AtomicBoolean(true);
    private Cursor cursor;
    private volatile boolean ended;
    private boolean moved; // the cursor is at an entry that was not handed out

    /** @param number rises from scan to scan */
    Scan(long number, Versions versions, Reader hold, MemorySegment to) {
        this.number = number;
        this.versions = versions;
        this.hold = hold;
        this.to = to;
    }

    Scan over(Cursor cursor) {
        this.cursor = cursor;
        return this;
    }

    long number() {
        return number;
    }

    /** Ends it from outside, while it is not being moved or while it is: memory that goes under its cursor is an exception there. */
    void end() {
        if (open.compareAndSet(true, false)) {
            ended = true;
            hold.giveBack();
            versions.countEndedScan();
        }
    }

    @Override
    public boolean hasNext() {
        if (!moved && open.get()) {
            boolean wasInterrupted = Thread.currentThread().isInterrupted();
            try {
                moved = cursor.next() && (to == null || cursor.compareTo(to) < 0);
            } catch (IllegalStateException e) {
                if (ended && !wasInterrupted) {
                    Threads.clearInterruptOf(e);
                }
                checkEnded();
                throw e;
            } catch (InternalError e) {
                throw versions.fault(e);
            }
            if (!moved) {
                close();
            }
        }
        checkEnded();
        return moved;
    }

    private void checkEnded() {
        if (ended) {
            throw new ScanEndedException();
        }
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
        moved = false;
        if (open.compareAndSet(true, false)) {
            hold.giveBack();
            versions.reclaim();
        }
    }
}
