// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage.keys;

import java.util.stream.LongStream;

/** Prefixes as numbers without gaps: at each place a byte counts as many as lower ones were seen there. So keys of digits or letters spread as evenly as others. */
public final class Digits {
    public static final long NONE = -1;
    private static final long ENOUGH_VALUES = 1L << 40;
    private static final int BYTE_VALUES = 256;

    private final int places; // leading bytes that matter
    private final int[] lowest = new int[Long.BYTES];
    private final short[][] digits = new short[Long.BYTES][]; // of bytes from the lowest to the highest; of one that was not seen: -1 minus that of the next higher one
    private final long[] weight = new long[Long.BYTES]; // of one, at its place
    private final long values;

    /** @param prefixes as of the keys that are expected; at least one */
    public Digits(LongStream prefixes) {
        boolean[][] seen = new boolean[Long.BYTES][BYTE_VALUES];
        prefixes.forEach(prefix -> {
            for (int place = 0; place < Long.BYTES; place++) {
                seen[place][at(prefix, place)] = true;
            }
        });
        int[] base = new int[Long.BYTES];
        long product = 1;
        int place = 0;
        for (; place < Long.BYTES && product < ENOUGH_VALUES; place++) {
            base[place] = count(place, seen[place]);
            product *= base[place];
        }
        places = place;
        values = product;
        for (int i = 0; i < places; i++) {
            product /= base[i];
            weight[i] = product;
        }
    }

    /** Gives the bytes that were seen at a place their digits, and returns how many they are. */
    private int count(int place, boolean[] seen) {
        int first = 0;
        while (!seen[first]) {
            first++;
        }
        int last = BYTE_VALUES - 1;
        while (!seen[last]) {
            last--;
        }
        lowest[place] = first;
        digits[place] = new short[last - first + 1];
        int next = 0;
        for (int digit = first; digit <= last; digit++) {
            digits[place][digit - first] = (short) (seen[digit] ? next++ : -1 - next);
        }
        return next;
    }

    private static int at(long prefix, int place) {
        return (int) (prefix >>> Long.SIZE - Byte.SIZE * (place + 1)) & 0xFF;
    }

    /** Never falls as prefixes rise; {@link #NONE} for one with a byte that is lower or higher than all were at its place. */
    public long of(long prefix) {
        long value = 0;
        for (int place = 0; place < places; place++) {
            int index = at(prefix, place) - lowest[place];
            short[] own = digits[place];
            if (Integer.compareUnsigned(index, own.length) >= 0) {
                return NONE;
            }
            int digit = own[index];
            if (digit < 0) {
                return value + (-1 - digit) * weight[place]; // the lowest number with the next byte that was seen
            }
            value += digit * weight[place];
        }
        return value;
    }

    /** The numbers, cut into ranges of the same width. */
    public Ranges ranges(long most) {
        return new Ranges(this, Long.divideUnsigned(-1, values) * Math.min(most, values));
    }

    /** @param ofOne what a number takes of a range, in 2 to the -64th. WHY: a division would take longer than the rest of a search. */
    public record Ranges(Digits digits, long ofOne) {

        public long count() {
            return at(digits.values - 1) + 1;
        }

        /** The range of a prefix; {@link #NONE} for one that has no number. */
        public long of(long prefix) {
            long number = digits.of(prefix);
            return number == NONE ? NONE : at(number);
        }

        /** The range of a number. */
        public long at(long number) {
            return Math.unsignedMultiplyHigh(number, ofOne);
        }

        /** Where in its range a number lies, in 2 to the -64th, unsigned. */
        public long within(long number) {
            return number * ofOne;
        }
    }
}
