// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import java.lang.foreign.MemorySegment;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.concurrent.atomic.AtomicBoolean;
import lsmlab.storage.entries.Entry;
import lsmlab.storage.keys.MergeCursor;
import lsmlab.storage.system.Threads;
import lsmlab.storage.tree.Reader;
import lsmlab.storage.tree.Reclaimer;
import lsmlab.storage.tree.Tree;
import lsmlab.storage.tree.Versions;

/**
 * The live entries of a range as they were when the scan began, ascending. Keys and values are views, valid until {@link #close} or the end of
 * the scan. The store keeps everything that the scan shows until then, so it must be closed. A slow scan that makes the store keep too much
 * ends with a {@link ScanEndedException}. For one thread at a time.
 */
public final class Scan implements Iterator<Entry>, AutoCloseable {
    private final long number;
    private final Versions versions;
    private final Reclaimer reclaimer;
    private final Reader hold;
    private final MemorySegment to;
    private final AtomicBoolean open = new AtomicBoolean(true);
    private MergeCursor cursor;
    private volatile boolean ended;
    private boolean moved; // the cursor is at an entry that was not handed out

    private Scan(long number, Versions versions, Reclaimer reclaimer, Reader hold, MemorySegment to) {
        this.number = number;
        this.versions = versions;
        this.reclaimer = reclaimer;
        this.hold = hold;
        this.to = to;
    }

    /** @param number rises from scan to scan */
    static Scan of(long number, Versions versions, Reclaimer reclaimer, MemorySegment from, MemorySegment to) {
        Reader hold = versions.borrow();
        Scan scan = null;
        try {
            scan = new Scan(number, versions, reclaimer, hold, to);
            Tree now = versions.tree();
            hold.scans(now, scan.new Scanning());
            scan.cursor = now.cursor(from, false);
            return scan;
        } catch (InternalError e) {
            close(scan, hold);
            throw versions.fault(e);
        } catch (RuntimeException | Error e) {
            close(scan, hold);
            throw e;
        }
    }

    private static void close(Scan scan, Reader hold) {
        if (scan == null) {
            hold.giveBack();
        } else {
            scan.close();
        }
    }

    /** How it is ended from outside, while it is not being moved or while it is: memory that goes under its cursor is an exception there. */
    private final class Scanning implements Reader.Scanning {
        @Override
        public long number() {
            return number;
        }

        @Override
        public boolean end() {
            boolean first = open.compareAndSet(true, false);
            if (first) {
                ended = true;
                hold.giveBack();
            }
            return first;
        }
    }

    @Override
    public boolean hasNext() {
        if (!moved && open.get()) {
            boolean wasInterrupted = Thread.currentThread().isInterrupted();
            try {
                moved = nextLive();
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

    /** WHY it sees the tombstones: behind the scan's end there may be very many before the next live entry. */
    private boolean nextLive() {
        while (cursor.next() && (to == null || cursor.compareTo(to) < 0)) {
            if (!cursor.tombstone) {
                return true;
            }
        }
        return false;
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

    private void count() {
        if (cursor != null) {
            hold.lookup.counters.scans++;
            cursor.addTo(hold.lookup.counters);
        }
    }

    @Override
    public void close() {
        moved = false;
        if (open.compareAndSet(true, false)) {
            count();
            hold.giveBack();
            reclaimer.reclaim();
        }
    }
}
