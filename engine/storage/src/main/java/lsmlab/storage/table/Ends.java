// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage.table;

import java.lang.foreign.MemorySegment;
import lsmlab.storage.keys.Keys;

/** A table's first and last key, and what all its keys begin with. */
final class Ends {
    /** Keys up to this length are kept on the heap; longer ones are read where they are. */
    private static final int RESIDENT_KEY_BYTES = 256;

    final MemorySegment firstKey;
    final MemorySegment lastKey;
    private final int commonPrefix; // length of what all keys begin with
    private final long firstPrefix; // of the first key, after that
    private final long lastPrefix;

    /** @param firstKey in the file, like the last one */
    Ends(MemorySegment firstKey, MemorySegment lastKey) {
        this.firstKey = resident(firstKey);
        this.lastKey = resident(lastKey);
        commonPrefix = Keys.commonPrefix(firstKey, lastKey);
        firstPrefix = prefix(firstKey);
        lastPrefix = prefix(lastKey);
    }

    private static MemorySegment resident(MemorySegment key) {
        return key.byteSize() <= RESIDENT_KEY_BYTES ? Keys.copy(key) : key;
    }

    /** The bytes in which keys of the table differ. REQUIRES: a key that begins like all of them. */
    long prefix(MemorySegment key) {
        return Keys.prefixAfter(key, commonPrefix);
    }

    /** Whether the key lies between them or is one of them. Mostly one look at the bytes in which the keys of the table differ is enough. */
    boolean enclose(MemorySegment key) {
        if (!Keys.startsWith(key, firstKey, commonPrefix)) {
            return false;
        }
        long prefix = prefix(key);
        int fromFirst = Long.compareUnsigned(prefix, firstPrefix);
        int fromLast = Long.compareUnsigned(prefix, lastPrefix);
        return (fromFirst > 0 || fromFirst == 0 && Keys.compare(key, firstKey) >= 0)
                && (fromLast < 0 || fromLast == 0 && Keys.compare(key, lastKey) <= 0);
    }

    boolean beginAbove(MemorySegment key) {
        return Keys.compare(key, firstKey) < 0;
    }
}
