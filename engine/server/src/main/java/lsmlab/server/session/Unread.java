// SPDX-License-Identifier: Apache-2.0
package lsmlab.server.session;

import lsmlab.server.wire.MemoryBudget;
import lsmlab.server.wire.Refused;

/** Bytes of one connection that were read from its socket before anything could be done with them. They count in the memory budget. */
final class Unread {
    private static final int LEAST_BYTES = 256;
    private static final byte[] NOTHING = {};

    private final MemoryBudget.Charge charge;
    private byte[] bytes = NOTHING;
    private int length;

    Unread(MemoryBudget memory) {
        charge = memory.new Charge();
    }

    int length() {
        return length;
    }

    /** Copies them to the beginning of the buffer and keeps none. */
    void moveTo(byte[] buffer) {
        System.arraycopy(bytes, 0, buffer, 0, length);
        length = 0;
    }

    /** They are at the beginning of the array, which now is the caller's. */
    byte[] take() {
        byte[] taken = bytes;
        bytes = NOTHING;
        length = 0;
        return taken;
    }

    /** @throws Refused with 503 if there is no room */
    void keep(byte[] buffer, int from, int to) {
        int count = to - from;
        if (count > bytes.length) {
            charge.resize(count);
            bytes = new byte[Math.max(count, LEAST_BYTES)];
        }
        System.arraycopy(buffer, from, bytes, 0, count);
        length = count;
    }

    void forget() {
        take();
        charge.resize(0);
    }
}
