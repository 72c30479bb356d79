// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;

/** The one order of keys: byte by byte, unsigned, a prefix before what it begins. */
final class Keys {
    private Keys() {}

    static int compare(MemorySegment a, MemorySegment b) {
        return compare(a, 0, a.byteSize(), b, 0, b.byteSize());
    }

    /** Compares a[aFrom, aTo) with b[bFrom, bTo) in place: a search allocates no slices. */
    static int compare(MemorySegment a, long aFrom, long aTo, MemorySegment b, long bFrom, long bTo) {
        long at = MemorySegment.mismatch(a, aFrom, aTo, b, bFrom, bTo);
        if (at < 0) {
            return 0;
        }
        if (aFrom + at == aTo) {
            return -1;
        }
        if (bFrom + at == bTo) {
            return 1;
        }
        return Byte.compareUnsigned(a.get(JAVA_BYTE, aFrom + at), b.get(JAVA_BYTE, bFrom + at));
    }
}
