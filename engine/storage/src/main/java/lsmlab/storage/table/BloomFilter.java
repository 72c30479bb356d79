// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage.table;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;
import lsmlab.storage.keys.Keys;

/**
 * A blocked Bloom filter: all bits of a key are in one line of 64 bytes, so a look-up costs one cache miss (Putze, Sanders, Singler:
 * Cache-, Hash- and Space-Efficient Bloom Filters, 2007). About one of 90 absent keys passes at 10 bits a key.
 */
final class BloomFilter {
    static final int LINE_BYTES = 64;
    private static final int BITS_PER_KEY = 10;
    private static final int BITS_OF_A_KEY = 6;
    private static final int BIT_NUMBER_BITS = 9; // 512 bits in a line

    private BloomFilter() {}

    static byte[] of(long[] hashes, int count) {
        int lines = (int) Math.ceilDiv((long) count * BITS_PER_KEY, LINE_BYTES * 8);
        byte[] filter = new byte[Math.max(1, lines) * LINE_BYTES];
        for (int i = 0; i < count; i++) {
            int line = (int) lineAt(hashes[i], filter.length);
            long bits = Keys.mix(hashes[i]);
            for (int n = 0; n < BITS_OF_A_KEY; n++, bits >>>= BIT_NUMBER_BITS) {
                int bit = (int) bits & (1 << BIT_NUMBER_BITS) - 1;
                filter[line + (bit >>> 3)] |= (byte) (1 << (bit & 7));
            }
        }
        return filter;
    }

    /** Offset of the key's line in a filter of this length. */
    static long lineAt(long hash, long filterBytes) {
        return Math.unsignedMultiplyHigh(hash, filterBytes / LINE_BYTES) * LINE_BYTES;
    }

    /**
     * False if the key is certainly not among those that the filter was made of. WHY without an early exit: a branch on each bit would be
     * mispredicted, and the processor could not ask for the line of the next filter before it has this one.
     */
    static boolean mayHold(MemorySegment filter, long lineAt, long hash) {
        long bits = Keys.mix(hash);
        int all = 1;
        for (int n = 0; n < BITS_OF_A_KEY; n++, bits >>>= BIT_NUMBER_BITS) {
            int bit = (int) bits & (1 << BIT_NUMBER_BITS) - 1;
            all &= filter.get(JAVA_BYTE, lineAt + (bit >>> 3)) >>> (bit & 7);
        }
        return (all & 1) == 1;
    }
}
