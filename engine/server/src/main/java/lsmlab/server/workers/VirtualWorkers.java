// SPDX-License-Identifier: Apache-2.0
package lsmlab.server.workers;

import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.LongAdder;

/** A virtual thread for each request, with a limit on how many run at the same time. */
public final class VirtualWorkers implements Workers {
    private final int capacity;
    private final Semaphore room;
    private final ThreadFactory threads;
    private final LongAdder started = new LongAdder();
    private final LongAdder rejected = new LongAdder();

    public VirtualWorkers(String name, int capacity) {
        this.capacity = capacity;
        room = new Semaphore(capacity);
        threads = Thread.ofVirtual().name(name + "-", 0).factory();
    }

    @Override
    public void execute(Work work) {
        if (!room.tryAcquire()) {
            rejected.increment();
            throw new RejectedExecutionException();
        }
        started.increment();
        try {
            threads.newThread(() -> {
                try {
                    work.run();
                } finally {
                    room.release();
                }
            }).start();
        } catch (RuntimeException | Error e) { // no memory for it
            room.release();
            throw e;
        }
    }

    @Override
    public Stats stats() {
        return new Stats("virtual", 0, null, capacity, capacity - room.availablePermits(), 0, started.sum(), 0, 0, rejected.sum());
    }

    @Override
    public void close() {
        room.acquireUninterruptibly(capacity);
    }
}
