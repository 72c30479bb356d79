// SPDX-License-Identifier: Apache-2.0
package lsmlab.server.workers;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingDeque;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.concurrent.atomic.LongAdder;
import lsmlab.server.values.OptionText;

/** A fixed number of threads behind a bounded queue. */
public final class PoolWorkers implements Workers {
    public enum Queue {
        ARRAY, LINKED, LIFO, SYNCHRONOUS;

        BlockingQueue<Runnable> ofCapacity(int capacity) {
            return switch (this) {
                case ARRAY -> new ArrayBlockingQueue<>(capacity);
                case LINKED -> new LinkedBlockingQueue<>(capacity);
                case LIFO -> new Stack(capacity);
                case SYNCHRONOUS -> new SynchronousQueue<>();
            };
        }
    }

    /** Takes newest first: under overload, some requests are answered soon instead of all of them late. */
    private static final class Stack extends LinkedBlockingDeque<Runnable> {
        Stack(int capacity) {
            super(capacity);
        }

        @Override
        public boolean offer(Runnable task) {
            return offerFirst(task);
        }
    }

    private final class Worker extends Thread {
        private Work following; // of this thread only

        Worker(Runnable task, String name) {
            super(task, name);
        }

        boolean isOf(PoolWorkers pool) {
            return PoolWorkers.this == pool;
        }

        void runFollowing() {
            for (Work work = following; work != null; work = following) {
                following = null;
                work.run();
            }
        }
    }

    private final String queue;
    private final int capacity;
    private final ThreadPoolExecutor executor;
    private final LongAdder waited = new LongAdder();
    private final LongAdder waitNanos = new LongAdder();
    private final LongAccumulator longestWaitNanos = new LongAccumulator(Math::max, 0);
    private final LongAdder rejected = new LongAdder();

    /** @param name of the threads, before their number */
    public PoolWorkers(String name, int threads, Queue queue, int capacity) {
        this(name, threads, OptionText.of(queue), queue.ofCapacity(capacity), queue == Queue.SYNCHRONOUS ? 0 : capacity);
    }

    /** @param queueName as {@link #stats} shows it */
    public PoolWorkers(String name, int threads, String queueName, BlockingQueue<Runnable> queue, int capacity) {
        this.queue = queueName;
        this.capacity = capacity;
        AtomicInteger number = new AtomicInteger();
        executor = new ThreadPoolExecutor(threads, threads, 0, TimeUnit.SECONDS, queue, task -> new Worker(task, name + "-" + number.getAndIncrement()), this::reject) {
            @Override
            protected void afterExecute(Runnable task, Throwable failure) {
                ((Worker) Thread.currentThread()).runFollowing();
            }

            @Override
            protected void beforeExecute(Thread thread, Runnable task) {
                try {
                    leftQueue((Work) task);
                } catch (OutOfMemoryError e) {
                    // counting may take memory; the request goes uncounted then, and not unanswered
                }
            }
        };
        executor.prestartAllCoreThreads(); // or the first requests would find a synchronous queue without takers
    }

    private void reject(Runnable task, ThreadPoolExecutor from) {
        rejected.increment();
        new ThreadPoolExecutor.AbortPolicy().rejectedExecution(task, from);
    }

    private void leftQueue(Work work) {
        long nanos = work.waitedNanos();
        waited.increment();
        waitNanos.add(nanos);
        longestWaitNanos.accumulate(nanos);
    }

    /**
     * Called by one of its own threads, it skips the queue: the thread that answered one request of a connection goes on with the next that came with it. WHY not before that one is done with:
     * the thread still holds the lock of the connection, which its selector needs.
     */
    @Override
    public void execute(Work work) {
        if (Thread.currentThread() instanceof Worker worker && worker.isOf(this) && worker.following == null) {
            worker.following = work;
            return;
        }
        work.submitted();
        executor.execute(work);
    }

    @Override
    public Stats stats() {
        return new Stats("pool", executor.getMaximumPoolSize(), queue, capacity, executor.getActiveCount(),
                executor.getQueue().size(), waited.sum(), waitNanos.sum(), longestWaitNanos.get(), rejected.sum());
    }

    @Override
    public void close() {
        executor.close();
    }
}
