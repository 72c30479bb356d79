// SPDX-License-Identifier: Apache-2.0
package lsmlab.load;

import java.io.IOException;
import java.nio.channels.Selector;
import java.util.concurrent.locks.LockSupport;

/**
 * Wakes a selector at a nanosecond. A selector's own timeout counts whole milliseconds, which would make sends up to one late; a
 * response wakes the selector at once, as always. No thread spins.
 */
final class Pacer implements AutoCloseable {
    private static final long NEVER = Long.MAX_VALUE;
    private static final long MILLI = 1_000_000;

    private final Selector selector;
    private final Thread thread;
    private volatile long wakeAt = NEVER;
    private volatile boolean closed;

    Pacer(Selector selector, String name) {
        this.selector = selector;
        this.thread = Thread.ofPlatform().daemon().name(name).start(this::run);
    }

    private void run() {
        while (!closed) {
            long at = wakeAt;
            long left = at == NEVER ? NEVER : at - System.nanoTime();
            if (left > 0) {
                LockSupport.parkNanos(this, left);
            } else {
                wakeAt = NEVER;
                selector.wakeup();
            }
        }
    }

    /** Selects until something is ready or until {@code deadline}, a {@link System#nanoTime}. */
    void select(long deadline) throws IOException {
        long left = deadline - System.nanoTime();
        if (left <= 0) {
            selector.selectNow();
        } else if (left > 20 * MILLI) {
            selector.select(left / MILLI - 10);
        } else {
            wakeAt = deadline;
            LockSupport.unpark(thread);
            selector.select();
            wakeAt = NEVER;
        }
    }

    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(thread);
    }
}
