// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.List;

/**
 * One look-up in the tree: its key, the result and the cost. {@link Readers} keeps them for reuse. A thread that borrowed one owns it,
 * counters included, and the tree that it reads stays alive until it is returned.
 */
final class Lookup {
    private static final VarHandle USES;

    static {
        try {
            USES = MethodHandles.lookup().findVarHandle(Lookup.class, "uses", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private volatile long uses; // odd while borrowed

    MemorySegment key;
    long hash;

    private boolean tombstone;
    private MemorySegment source;
    private long valueAt;
    private int valueLength;

    long gets;
    long tablesAsked;
    long prunedByRange;
    long prunedByBloom;
    long bloomFalsePositives;
    long probes;
    long blocksRead;
    private volatile Tree scanned;
    private volatile Scan scan;
    private List<String> steps; // null unless the look-up is explained

    boolean tryBorrow() {
        long now = uses;
        return (now & 1) == 0 && USES.compareAndSet(this, now, now + 1);
    }

    void giveBack() {
        key = null;
        source = null;
        steps = null;
        if (scanned != null) { // a get has none, and a volatile write is dear
            scanned = null;
            scan = null;
        }
        USES.setRelease(this, uses + 1);
    }

    /** Changes with each borrowing and giving back; odd while borrowed. */
    long uses() {
        return uses;
    }

    /** For as long as it is borrowed it reads this tree only. */
    void scans(Tree tree) {
        scanned = tree;
    }

    /** The same for a scan, which may be ended when it keeps too much. */
    void scans(Tree tree, Scan scan) {
        scanned = tree;
        this.scan = scan;
    }

    /** Null unless a scan has it. */
    Scan scan() {
        return scan;
    }

    /** False if it certainly does not read the source. REQUIRES: that it was borrowed at a moment when a tree held the source. */
    boolean mayRead(Object source) {
        Tree tree = scanned;
        return tree == null || tree.holds(source);
    }

    Lookup of(MemorySegment key) {
        this.key = key;
        long length = key.byteSize();
        hash = Keys.hash(key, 0, length);
        tombstone = false;
        return this;
    }

    /** From now on each step is written down. */
    Lookup explainedBy(List<String> steps) {
        this.steps = steps;
        return this;
    }

    void foundTombstone() {
        tombstone = true;
    }

    void found(MemorySegment source, long valueAt, int valueLength) {
        this.source = source;
        this.valueAt = valueAt;
        this.valueLength = valueLength;
    }

    boolean isFound() {
        return source != null;
    }

    void addCountersTo(Lookup total) {
        uses(); // a volatile read: counters are as they were when it was last given back, or newer
        total.gets += gets;
        total.tablesAsked += tablesAsked;
        total.prunedByRange += prunedByRange;
        total.prunedByBloom += prunedByBloom;
        total.bloomFalsePositives += bloomFalsePositives;
        total.probes += probes;
        total.blocksRead += blocksRead;
    }

    <R> R read(ValueReader<R> reader) {
        return reader.read(source, valueAt, valueLength);
    }

    boolean isExplained() {
        return steps != null;
    }

    void explain(String source, String what) {
        if (steps != null) {
            steps.add(source + ": " + what);
        }
    }

    String outcome() {
        return tombstone ? "tombstone" : source != null ? "found" : "not there";
    }
}
