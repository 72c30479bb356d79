// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage.tree;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;
import java.util.stream.IntStream;
import lsmlab.storage.counters.ReadCounters;
import lsmlab.storage.keys.Lookup;
import lsmlab.storage.system.Freeable;

/**
 * What one get, scan or compaction borrows from {@link Readers} while it reads. What the tree held when it was borrowed stays alive until
 * it is given back. The borrower owns its {@link Lookup} until then.
 */
public final class Reader {
    /** A scan, which may be ended from outside. */
    public interface Scanning {
        /** Rises from scan to scan. */
        long number();

        /** False if it had ended before. */
        boolean end();
    }

    private static final AtomicLongFieldUpdater<Reader> USES = AtomicLongFieldUpdater.newUpdater(Reader.class, "uses");

    public final Lookup lookup = new Lookup();
    private Lookup[] group = {};

    private volatile long uses; // odd while borrowed
    private volatile Tree scanned;
    private volatile Scanning scan;

    boolean tryBorrow() {
        long now = uses;
        return (now & 1) == 0 && USES.compareAndSet(this, now, now + 1);
    }

    public void giveBack() {
        lookup.forget();
        if (scanned != null) { // a get has none, and a volatile write is dear
            scanned = null;
            scan = null;
        }
        USES.lazySet(this, uses + 1);
    }

    /** Several look-ups for as many keys, with the counters and the guess of the one; each is to be forgotten after use. */
    public Lookup[] group(int size) {
        if (group.length < size) {
            group = IntStream.range(0, size).mapToObj(_ -> new Lookup(lookup)).toArray(Lookup[]::new);
        }
        return Arrays.copyOf(group, size);
    }

    /** Changes with each borrowing and giving back; odd while borrowed. */
    long uses() {
        return uses;
    }

    /** For as long as it is borrowed it reads this tree only. */
    public void scans(Tree tree) {
        scanned = tree;
    }

    /** The same for a scan, which may be ended when it keeps too much. */
    public void scans(Tree tree, Scanning scan) {
        scanned = tree;
        this.scan = scan;
    }

    /** Null unless a scan has it. */
    Scanning scan() {
        return scan;
    }

    /** False if it certainly does not read the part of a tree. REQUIRES: that it was borrowed at a moment when a tree held that. */
    boolean mayRead(Freeable part) {
        Tree tree = scanned;
        return tree == null || tree.isScanned(part);
    }

    void addCountersTo(ReadCounters total) {
        uses(); // a volatile read: counters are as they were when it was last given back, or newer
        total.add(lookup.counters);
    }
}
