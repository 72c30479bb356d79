// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Holds merges to a number of bytes a second. A merge that runs as fast as it can takes a processor and the disk from requests for as long as
 * it lasts; a paced one takes a part of both for longer. When writes would soon have to wait for the merge, it is not held any more.
 *
 * <p>NOT THREAD-SAFE: there is one merge at a time.
 */
final class Pace {
    /** Between two looks at the clock. */
    private static final long PIECE_BYTES = 64 << 10;
    private static final long LONGEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private final long bytesPerSecond; // 0: no limit
    private final BooleanSupplier released;
    private long pieceBytes;
    private long dueNanos = System.nanoTime(); // when the next piece may be read

    /** @param released whether nothing is held at the moment; asked again at least every ten milliseconds while a merge is held */
    Pace(long bytesPerSecond, BooleanSupplier released) {
        this.bytesPerSecond = bytesPerSecond;
        this.released = released;
    }

    /** Returns when the merge may go on after it has read another {@code bytes}. */
    void read(long bytes) {
        if (bytesPerSecond == 0) {
            return;
        }
        pieceBytes += bytes;
        if (pieceBytes >= PIECE_BYTES) {
            hold();
        }
    }

    /** WHY from now on, if it is late: what could not be read in time, between two merges, say, must not be read at once later. */
    private void hold() {
        long now = System.nanoTime();
        dueNanos = (dueNanos - now > 0 ? dueNanos : now) + (long) (pieceBytes * 1e9 / bytesPerSecond);
        pieceBytes = 0;
        while (dueNanos - now > 0 && !released.getAsBoolean()) {
            LockSupport.parkNanos(this, Math.min(dueNanos - now, LONGEST_PAUSE_NANOS));
            now = System.nanoTime();
        }
    }
}
