// SPDX-License-Identifier: Apache-2.0
package lsmlab.load.count;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Runs a task each second in a thread of its own, until it is closed. */
public final class EverySecond implements AutoCloseable {
    private static final long SECOND = 1_000_000_000;

    private final CountDownLatch closed = new CountDownLatch(1);
    private final Thread thread;

    /** @param fromNanos a {@link System#nanoTime}; the task runs a second after it for the first time */
    public EverySecond(String name, long fromNanos, Runnable task) {
        thread = Thread.ofPlatform().daemon().name(name).start(() -> run(fromNanos, task));
    }

    private void run(long fromNanos, Runnable task) {
        try {
            for (long at = fromNanos + SECOND; !closed.await(at - System.nanoTime(), TimeUnit.NANOSECONDS); at += SECOND) {
                task.run();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Returns when the task runs no more. */
    @Override
    public void close() {
        closed.countDown();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
