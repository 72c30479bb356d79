// SPDX-License-Identifier: Apache-2.0
package lsmlab.bench;

import java.util.Random;

/** The same keys and values for every store. Keys are numbers of sixteen digits: record i has key 2i, and 2i+1 is missing. */
final class Data {
    static final int KEY_BYTES = 16;
    private static final int POOL_BYTES = 1 << 20;

    private final long records;
    private final byte[] pool = new byte[POOL_BYTES];
    private final int valueBytes;
    private final int halfBits;

    Data(long records, int valueBytes) {
        this.records = records;
        this.valueBytes = valueBytes;
        new Random(1).nextBytes(pool);
        halfBits = (64 - Long.numberOfLeadingZeros(records - 1) + 1) / 2;
    }

    long records() {
        return records;
    }

    /** The i-th record in random order: a permutation of 0..records-1 by a Feistel network that walks until it is inside. */
    long shuffled(long i) {
        long x = i;
        long mask = (1L << halfBits) - 1;
        do {
            long left = x >>> halfBits;
            long right = x & mask;
            for (int round = 0; round < 4; round++) {
                long next = left ^ (mix(right + round) & mask);
                left = right;
                right = next;
            }
            x = left << halfBits | right;
        } while (x >= records);
        return x;
    }

    private static long mix(long z) {
        long x = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        x = (x ^ (x >>> 27)) * 0x94D049BB133111EBL;
        return x ^ (x >>> 31);
    }

    byte[] key(long record) {
        return number(new byte[KEY_BYTES], 2 * record);
    }

    byte[] missingKey(long record) {
        return number(new byte[KEY_BYTES], 2 * record + 1);
    }

    /** Sixteen decimal digits. */
    private static byte[] number(byte[] key, long number) {
        long rest = number;
        for (int i = KEY_BYTES - 1; i >= 0; i--) {
            key[i] = (byte) ('0' + rest % 10);
            rest /= 10;
        }
        return key;
    }

    /** Bytes that do not compress, other ones for most records. */
    byte[] value(long record, byte[] into) {
        System.arraycopy(pool, (int) ((mix(record) >>> 1) % (POOL_BYTES - valueBytes)), into, 0, valueBytes);
        return into;
    }

    byte[] newValue() {
        return new byte[valueBytes];
    }
}
