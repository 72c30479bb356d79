// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import java.lang.foreign.MemorySegment;
import java.util.List;

/** One look-up in the tree: its key, the answer, and the steps where they are asked for. Used again for the next key. */
final class Lookup {
    final ReadCounters counters = new ReadCounters();

    MemorySegment key;
    long hash;

    private boolean tombstone;
    private MemorySegment source;
    private long valueAt;
    private int valueLength;
    private List<String> steps; // null unless the look-up is explained

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

    /** Lets go of key, value and steps; the counters stay. */
    void forget() {
        key = null;
        source = null;
        steps = null;
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

    <C, R> R read(C context, ValueReader<C, R> reader) {
        return reader.read(context, source, valueAt, valueLength);
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
