// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage.memtable;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import lsmlab.storage.keys.Keys;

/**
 * Which keys a memtable may hold: a Bloom filter that has all bits of a key in one word. One writer at a time, any number of readers. WHY: most gets find their key in a table. To search the list
 * for a key that it does not hold reads some ten lines of the processor's cache; this reads one.
 */
final class KeyFilter {
    private static final int BITS_PER_KEY = 8;
    private static final int BITS_OF_A_KEY = 3;
    private static final int BIT_NUMBER_BITS = 6;

    private final MemorySegment words;

    private KeyFilter(int expected, Arena arena) {
        words = arena.allocate(Math.ceilDiv((long) expected * BITS_PER_KEY, Long.SIZE) * Long.BYTES, Long.BYTES);
    }

    /**
     * Null if there is no memory for it.
     *
     * @param expected keys; if more are added, more absent ones pass
     */
    static KeyFilter of(int expected, Arena arena) {
        try {
            return new KeyFilter(expected, arena);
        } catch (OutOfMemoryError e) {
            return null;
        }
    }

    void add(long hash) {
        long at = wordAt(hash);
        words.set(JAVA_LONG, at, words.get(JAVA_LONG, at) | bits(hash));
    }

    /** False if the key was certainly not added before this call. */
    boolean mayHold(long hash) {
        long bits = bits(hash);
        return (words.get(JAVA_LONG, wordAt(hash)) & bits) == bits;
    }

    private long wordAt(long hash) {
        return Math.unsignedMultiplyHigh(hash, words.byteSize() / Long.BYTES) * Long.BYTES;
    }

    private static long bits(long hash) {
        long numbers = Keys.mix(hash);
        long bits = 0;
        for (int n = 0; n < BITS_OF_A_KEY; n++, numbers >>>= BIT_NUMBER_BITS) {
            bits |= 1L << numbers; // only its lowest six bits count
        }
        return bits;
    }

    long bytes() {
        return words.byteSize();
    }
}
