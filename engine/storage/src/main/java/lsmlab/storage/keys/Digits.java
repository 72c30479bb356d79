// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage.keys;

import java.util.Arrays;
import java.util.stream.LongStream;

/** Prefixes as numbers without gaps: a byte counts from the lowest to the highest that some prefixes have at its place. So keys of digits or letters spread as evenly as others. */
public final class Digits {
    public static final long NONE = -1;
    private static final long ENOUGH_VALUES = 1L << 40;
    private static final int BYTE_VALUES = 256;

    private final int count; // of leading bytes that matter
    private final int[] lowest = new int[Long.BYTES];
    private final int[] base = new int[Long.BYTES];
    private final long values;

    /** @param prefixes as of the keys that are expected; at least one */
    public Digits(LongStream prefixes) {
        int[] highest = new int[Long.BYTES];
        Arrays.fill(lowest, BYTE_VALUES);
        prefixes.forEach(prefix -> {
            for (int place = 0; place < Long.BYTES; place++) {
                int digit = at(prefix, place);
                lowest[place] = Math.min(lowest[place], digit);
                highest[place] = Math.max(highest[place], digit);
            }
        });
        long product = 1;
        int place = 0;
        for (; place < Long.BYTES && product < ENOUGH_VALUES; place++) {
            base[place] = highest[place] - lowest[place] + 1;
            product *= base[place];
        }
        count = place;
        values = product;
    }

    private static int at(long prefix, int place) {
        return (int) (prefix >>> Long.SIZE - Byte.SIZE * (place + 1)) & 0xFF;
    }

    /** Never falls as prefixes rise; {@link #NONE} for one with a byte that is lower or higher than all had at its place. */
    public long of(long prefix) {
        long value = 0;
        for (int place = 0; place < count; place++) {
            int digit = at(prefix, place) - lowest[place];
            if (Integer.compareUnsigned(digit, base[place]) >= 0) {
                return NONE;
            }
            value = value * base[place] + digit;
        }
        return value;
    }

    /** The numbers, cut into ranges. */
    public Ranges ranges(long most) {
        return new Ranges(this, values / most + 1);
    }

    public record Ranges(Digits digits, long width) {

        public long count() {
            return digits.values / width + 1;
        }

        /** The range of a prefix; {@link #NONE} for one that has no number. */
        public long of(long prefix) {
            long value = digits.of(prefix);
            return value == NONE ? NONE : value / width;
        }
    }
}
