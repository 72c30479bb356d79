// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage.keys;

import java.lang.foreign.MemorySegment;

/**
 * A place in a sorted sequence of entries, tombstones included; {@link #next} moves it and sets the fields. It allocates nothing while
 * it moves. For one thread at a time, and only while the tree it came from is held.
 */
public abstract class Cursor {
    public MemorySegment bytes;
    public long keyAt;
    public int keyLength;
    /** The bytes after those that are skipped, see {@link Keys#prefix}: decides most comparisons. */
    private long prefix;
    private int skipped;
    /** Among the sources of a {@link MergeCursor}; 0 is the newest. */
    int age;
    public long valueAt;
    public int valueLength;
    public boolean tombstone;

    /** Moves to the next entry, the first after creation; false at the end, as often as it is asked. */
    public abstract boolean next();

    /** From the next entry on; comparisons need that all keys of both cursors have these first bytes in common. */
    public void skip(int commonBytes) {
        skipped = commonBytes;
    }

    protected final void setPrefix() {
        prefix = Keys.prefix(bytes, keyAt + skipped, keyLength - skipped);
    }

    public final MemorySegment key() {
        return bytes.asSlice(keyAt, keyLength);
    }

    final int compareTo(Cursor other) {
        int order = Long.compareUnsigned(prefix, other.prefix);
        return order != 0 ? order : Keys.compare(bytes, keyAt, keyLength, other.bytes, other.keyAt, other.keyLength);
    }

    public final int compareTo(MemorySegment key) {
        return Keys.compare(bytes, keyAt, keyLength, key, 0, key.byteSize());
    }

    /** Copies another's place: the entry, not the way on. */
    protected final void take(Cursor other) {
        bytes = other.bytes;
        keyAt = other.keyAt;
        keyLength = other.keyLength;
        prefix = other.prefix;
        valueAt = other.valueAt;
        valueLength = other.valueLength;
        tombstone = other.tombstone;
    }
}
