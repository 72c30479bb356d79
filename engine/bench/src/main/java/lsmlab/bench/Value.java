// SPDX-License-Identifier: Apache-2.0
package lsmlab.bench;

/** Where a thread has the values it reads copied to, again and again: so no store is slower only because its caller allocates. */
final class Value {
    static final int MOST_BYTES = 1 << 16;

    final byte[] bytes = new byte[MOST_BYTES];
    int length; // of the last value

    /** Sum of its bytes, as signed numbers. */
    long sum() {
        long sum = 0;
        for (int at = 0; at < length; at++) {
            sum += bytes[at];
        }
        return sum;
    }
}
