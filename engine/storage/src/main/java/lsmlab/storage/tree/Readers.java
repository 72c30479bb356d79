// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage.tree;

import java.util.Arrays;
import java.util.Comparator;
import java.util.Objects;
import java.util.function.Predicate;
import lsmlab.storage.counters.ReadCounters;
import lsmlab.storage.system.Freeable;

/**
 * Tracks readers in progress. A get borrows a {@link Reader} without locking, and a thread mostly gets the same one again. What a replaced tree
 * held is freed once all readers on loan at that moment have been given back.
 */
public final class Readers {
    private static final int INITIAL = 64;

    private volatile Reader[] readers = {};

    Readers() {
        grow(0);
    }

    /** REQUIRES: that the caller takes the current tree afterwards, and gives the reader back. */
    Reader borrow() {
        while (true) {
            Reader[] all = readers;
            int start = (int) Thread.currentThread().threadId();
            for (int i = 0; i < all.length; i++) {
                Reader reader = all[(start + i) & (all.length - 1)];
                if (reader.tryBorrow()) {
                    return reader;
                }
            }
            grow(all.length);
        }
    }

    private synchronized void grow(int from) {
        Reader[] all = readers;
        if (all.length == from) {
            Reader[] more = Arrays.copyOf(all, Math.max(INITIAL, 2 * from));
            for (int i = from; i < more.length; i++) {
                more[i] = new Reader();
            }
            readers = more;
        }
    }

    /** The moment, for {@link #mayRead}. */
    long[] now() {
        return Arrays.stream(readers).mapToLong(Reader::uses).toArray();
    }

    /** Whether a reader that was in progress at that moment, when the part of a tree was dropped, may still use it. */
    boolean mayRead(Freeable part, long[] moment) {
        Reader[] all = readers;
        for (int i = 0; i < moment.length; i++) {
            boolean wasReading = (moment[i] & 1) == 1;
            if (wasReading && all[i].mayRead(part) && all[i].uses() == moment[i]) {
                return true;
            }
        }
        return false;
    }

    /** The oldest scan among the readers for which the condition holds; null if there is none. */
    Reader.Scanning oldestScan(Predicate<Reader> condition) {
        return Arrays.stream(readers).filter(reader -> reader.scan() != null && condition.test(reader)).map(Reader::scan)
                .filter(Objects::nonNull).min(Comparator.comparingLong(Reader.Scanning::number)).orElse(null);
    }

    public int scans() {
        return (int) Arrays.stream(readers).filter(reader -> reader.scan() != null).count();
    }

    /** The counters of all, added up. */
    public ReadCounters total() {
        ReadCounters total = new ReadCounters();
        for (Reader reader : readers) {
            reader.addCountersTo(total);
        }
        return total;
    }
}
