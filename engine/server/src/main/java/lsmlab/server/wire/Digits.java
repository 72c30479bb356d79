// SPDX-License-Identifier: Apache-2.0
package lsmlab.server.wire;

/** Numbers as digits in bytes, without an allocation. */
final class Digits {
    private static final int DECIMAL_DIGITS = 19; // what overflows is negative, and refused

    private Digits() {}

    /** The decimal number that stands there between blanks; negative if none does. */
    static long number(byte[] buffer, int from, int to) {
        int first = HttpGrammar.skipBlanks(buffer, from, to);
        return number(buffer, first, HttpGrammar.trimBlanks(buffer, first, to), 10, DECIMAL_DIGITS);
    }

    /** The number that {@code buffer[from, to)} spells; negative if it spells none. */
    static long number(byte[] buffer, int from, int to, int radix, int maxDigits) {
        int first = from;
        while (first < to && buffer[first] == '0') {
            first++;
        }
        if (from == to || to - first > maxDigits) {
            return -1;
        }
        long number = 0;
        for (int i = first; i < to; i++) {
            int digit = Character.digit(buffer[i], radix);
            if (digit < 0) {
                return -1;
            }
            number = number * radix + digit;
        }
        return number;
    }
}
