// SPDX-License-Identifier: Apache-2.0
package lsmlab.load.send;

import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * Wakes a selector at a nanosecond. A selector's own timeout counts whole milliseconds, which would make sends up to one late; a
 * response wakes the selector at once, as always. No thread spins.
 */
final class Pacer implements AutoCloseable {
    private static final long NEVER = Long.MAX_VALUE;
    private static final long MILLI = 1_000_000;
    private static final long IDLE_NANOS = 50 * MILLI;
    /** What is due sooner waits this long, together with what else becomes due: sleeping costs about as much. */
    private static final long SHORTEST_SLEEP_NANOS = 15_000;

    private final Selector selector;
    private final Thread thread;
    private volatile long wakeAt = NEVER; // when the worker wants to be woken
    private volatile long sleepsUntil = System.nanoTime(); // when the pacer looks at that again by itself
    private volatile boolean closed;

    Pacer(Selector selector, String name) {
        this.selector = selector;
        this.thread = Thread.ofPlatform().daemon().name(name).start(this::run);
    }

    private void run() {
        while (!closed) {
            long at = wakeAt;
            long now = System.nanoTime();
            if (at != NEVER && at <= now) {
                wakeAt = NEVER;
                selector.wakeup();
            } else {
                long until = at == NEVER ? now + IDLE_NANOS : at;
                sleepsUntil = until;
                if (wakeAt == at) { // or it changed before the worker could see until when this thread sleeps
                    LockSupport.parkNanos(this, until - now);
                }
            }
        }
    }

    /** Selects until something is ready or until {@code deadline}, a {@link System#nanoTime}; passes what is to {@code ready}. */
    void select(long deadline, Consumer<SelectionKey> ready) throws IOException {
        long now = System.nanoTime();
        if (deadline <= now) {
            selector.selectNow(ready);
        } else if (deadline - now > 20 * MILLI) {
            selector.select(ready, (deadline - now) / MILLI - 10);
        } else {
            long at = Math.max(deadline, now + SHORTEST_SLEEP_NANOS);
            wakeAt = at;
            if (at < sleepsUntil) {
                LockSupport.unpark(thread);
            }
            selector.select(ready);
            wakeAt = NEVER;
        }
    }

    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(thread);
    }
}
