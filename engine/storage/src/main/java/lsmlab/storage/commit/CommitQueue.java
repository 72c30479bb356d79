// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage.commit;

import java.io.UncheckedIOException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import lsmlab.storage.system.Threads;

/**
 * Group commit. Of the threads that write at the same time, one leads and commits the writes of all; the others wait. One system call, and
 * one sync, serves the whole group.
 */
public final class CommitQueue {
    /** A group ends when it has this many bytes, so that no memtable grows far beyond its threshold. */
    private static final long GROUP_BYTES = 1 << 20;

    private final Consumer<Write> commit;
    private final int spins;
    private final ReentrantLock leading = new ReentrantLock();
    private final AtomicReference<Write> arrived = new AtomicReference<>(); // a stack, newest first
    private Write backlog; // GUARDED BY leading; arrived in this order, too much for the group before

    /**
     * @param commit makes a chain (by {@code nextWaiting}) of batches durable and visible, or throws
     * @param spins how often a thread looks again before it sleeps; worth it when a commit takes microseconds
     */
    public CommitQueue(Consumer<Write> commit, int spins) {
        this.commit = commit;
        this.spins = spins;
    }

    /** Returns when the batch is committed, by this thread or another; throws what its commit threw. */
    public void submit(Write batch) {
        batch.begin();
        push(batch);
        boolean interrupted = false;
        for (int tries = 0; !batch.done; tries++) {
            if (!leading.hasQueuedThreads() && leading.tryLock()) { // a flush or a close goes first
                lead(batch);
            } else if (tries < spins) {
                Thread.onSpinWait();
            } else {
                LockSupport.park(this);
                interrupted |= Thread.interrupted(); // an interrupted thread would not sleep, and its write goes on anyway
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        rethrow(batch.failure);
    }

    /** Runs a task while no group is being committed. */
    public <T> T exclusively(Supplier<T> task) {
        leading.lock();
        try {
            return task.get();
        } finally {
            resign();
        }
    }

    private void push(Write batch) {
        Write top;
        do {
            top = arrived.get();
            batch.nextWaiting = top;
        } while (!arrived.compareAndSet(top, batch));
    }

    private void lead(Write own) {
        try {
            while (!own.done) {
                commitGroup(nextGroup(), own);
            }
        } finally {
            resign();
        }
    }

    /** Threads that arrived meanwhile found the lock taken and may sleep. This wakes one of them, which leads next. */
    private void resign() {
        Write next = backlog;
        leading.unlock();
        if (next == null) {
            next = arrived.get();
        }
        if (next != null) {
            LockSupport.unpark(next.writer);
        }
    }

    /** Commits a group. If that fails, it commits each batch separately, so that a bad batch fails alone. */
    private void commitGroup(Write group, Write own) {
        Throwable failure = failureOf(group);
        boolean oneByOne = failure != null && group.nextWaiting != null;
        for (Write batch = group; batch != null;) {
            Write next = batch.nextWaiting; // before its writer goes on
            if (oneByOne) {
                batch.nextWaiting = null;
                failure = failureOf(batch);
            }
            Thread writer = batch.writer;
            batch.failure = failure;
            batch.done = true;
            if (batch != own) {
                LockSupport.unpark(writer);
            }
            batch = next;
        }
    }

    /** Null if it was committed. */
    private Throwable failureOf(Write group) {
        boolean wasInterrupted = Thread.currentThread().isInterrupted();
        try {
            commit.accept(group);
            return null;
        } catch (RuntimeException | Error e) {
            if (!wasInterrupted) {
                Threads.clearInterruptOf(e);
            }
            return e;
        }
    }

    /** Takes what arrived, oldest first, and cuts it off where the group is large enough. */
    private Write nextGroup() {
        Write newest = arrived.getAndSet(null);
        Write ordered = null;
        while (newest != null) {
            Write older = newest.nextWaiting;
            newest.nextWaiting = ordered;
            ordered = newest;
            newest = older;
        }
        Write group = append(backlog, ordered);
        Write last = group;
        for (long bytes = last.batchBytes(); last.nextWaiting != null; last = last.nextWaiting) {
            bytes += last.nextWaiting.batchBytes();
            if (bytes > GROUP_BYTES) {
                break;
            }
        }
        backlog = last.nextWaiting;
        last.nextWaiting = null;
        return group;
    }

    private static Write append(Write first, Write second) {
        if (first == null) {
            return second;
        }
        Write last = first;
        while (last.nextWaiting != null) {
            last = last.nextWaiting;
        }
        last.nextWaiting = second;
        return first;
    }

    private static void rethrow(Throwable failure) {
        switch (failure) {
            case null -> {}
            case UncheckedIOException e -> throw new UncheckedIOException(e.getMessage(), e.getCause());
            case RuntimeException e -> throw e;
            default -> throw (Error) failure;
        }
    }
}
