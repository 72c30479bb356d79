// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import java.util.Arrays;
import java.util.Comparator;
import java.util.Objects;
import java.util.function.Predicate;

/**
 * Tracks readers in progress. A get borrows a {@link Lookup} without locking, and a thread mostly gets the same one again. What a replaced tree
 * held is freed once all lookups on loan at that moment have been returned.
 */
final class Readers {
    private static final int INITIAL = 64;

    private volatile Lookup[] lookups = {};

    Readers() {
        grow(0);
    }

    /** REQUIRES: that the caller takes the current tree afterwards, and gives the lookup back. */
    Lookup borrow() {
        while (true) {
            Lookup[] all = lookups;
            int start = (int) Thread.currentThread().threadId();
            for (int i = 0; i < all.length; i++) {
                Lookup lookup = all[(start + i) & (all.length - 1)];
                if (lookup.tryBorrow()) {
                    return lookup;
                }
            }
            grow(all.length);
        }
    }

    private synchronized void grow(int from) {
        Lookup[] all = lookups;
        if (all.length == from) {
            Lookup[] more = Arrays.copyOf(all, Math.max(INITIAL, 2 * from));
            for (int i = from; i < more.length; i++) {
                more[i] = new Lookup();
            }
            lookups = more;
        }
    }

    /** The moment, for {@link #mayRead}. */
    long[] now() {
        return Arrays.stream(lookups).mapToLong(Lookup::uses).toArray();
    }

    /** Whether a reader that was in progress at that moment, when the source was dropped, may still use it. */
    boolean mayRead(Object source, long[] moment) {
        Lookup[] all = lookups;
        for (int i = 0; i < moment.length; i++) {
            boolean wasReading = (moment[i] & 1) == 1;
            if (wasReading && all[i].mayRead(source) && all[i].uses() == moment[i]) {
                return true;
            }
        }
        return false;
    }

    /** The oldest scan among the readers for which the condition holds; null if there is none. */
    Scan oldestScan(Predicate<Lookup> condition) {
        return Arrays.stream(lookups).filter(lookup -> lookup.scan() != null && condition.test(lookup)).map(Lookup::scan)
                .filter(Objects::nonNull).min(Comparator.comparingLong(Scan::number)).orElse(null);
    }

    int scans() {
        return (int) Arrays.stream(lookups).filter(lookup -> lookup.scan() != null).count();
    }

    /** The counters of all, added up. */
    Lookup total() {
        Lookup total = new Lookup();
        for (Lookup lookup : lookups) {
            lookup.addCountersTo(total);
        }
        return total;
    }
}
