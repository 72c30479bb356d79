// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import java.lang.foreign.MemorySegment;

/**
 * A place in a sorted sequence of entries, tombstones included; {@link #next} moves it and sets the fields. It allocates nothing while
 * it moves. For one thread at a time, and only while the tree it came from is held.
 */
abstract class Cursor {
    MemorySegment bytes;
    long keyAt;
    int keyLength;
    /** The bytes after those that are skipped, see {@link Keys#prefix}: decides most comparisons. */
    private long prefix;
    private int skipped;
    long valueAt;
    int valueLength;
    boolean tombstone;

    /** Moves to the next entry, the first after creation; false at the end, as often as it is asked. */
    abstract boolean next();

    /** From the next entry on; comparisons need that all keys of both cursors have these first bytes in common. */
    void skip(int commonBytes) {
        skipped = commonBytes;
    }

    final void setPrefix() {
        prefix = Keys.prefix(bytes, keyAt + skipped, keyLength - skipped);
    }

    final MemorySegment key() {
        return bytes.asSlice(keyAt, keyLength);
    }

    final int compareTo(Cursor other) {
        int order = Long.compareUnsigned(prefix, other.prefix);
        return order != 0 ? order : Keys.compare(bytes, keyAt, keyLength, other.bytes, other.keyAt, other.keyLength);
    }

    final int compareTo(MemorySegment key) {
        return Keys.compare(bytes, keyAt, keyLength, key, 0, key.byteSize());
    }

    /** Copies another's place: the entry, not the way on. */
    final void take(Cursor other) {
        bytes = other.bytes;
        keyAt = other.keyAt;
        keyLength = other.keyLength;
        prefix = other.prefix;
        valueAt = other.valueAt;
        valueLength = other.valueLength;
        tombstone = other.tombstone;
    }
}
