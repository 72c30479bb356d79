// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import lsmlab.storage.disk.Disk;

/** A merge that did not fit has filled the disk. It is tried again when there is room, or after a multiple of the time that it took. For one thread. */
final class Patience {
    static final long LEAST_NANOS = 400_000_000;
    /** Work in vain is not begun again before this multiple of the time that it took. */
    static final int TIMES_AS_LONG = 20;

    private static final long LONGEST_NANOS = 600_000_000_000L;

    private final Disk disk;
    private long neededBytes; // 0: none
    private long notBeforeNanos; // when a merge of that size is tried again, even without more room

    Patience(Disk disk) {
        this.disk = disk;
    }

    /** Whether a merge of this size would fail again. */
    boolean refuses(long bytes) {
        return neededBytes > 0 && bytes >= neededBytes && System.nanoTime() - notBeforeNanos < 0 && disk.usableBytes() < neededBytes;
    }

    /** A merge of this size has failed, after this time. */
    void failed(long bytes, long nanos) {
        neededBytes = 0;
        if (disk.usableBytes() < bytes) {
            neededBytes = bytes;
            notBeforeNanos = System.nanoTime() + Math.clamp(TIMES_AS_LONG * nanos, LEAST_NANOS, LONGEST_NANOS);
        }
    }

    void forget() {
        neededBytes = 0;
    }
}
