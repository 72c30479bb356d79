// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.grading;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.locks.LockSupport;

/**
 * What a queue did with three times the requests that one worker could serve. Only the second half of the time counts: in the first the queue
 * may learn how fast the worker is.
 *
 * @param accepted requests that the queue took, in the whole time
 * @param refused those that it did not take
 * @param serviceMs from one request that the worker took to the next, on average
 * @param medianWaitMs that a request stood in the queue
 */
public record Overload(int accepted, int refused, double serviceMs, double medianWaitMs) {
    private static final int TIMES_TOO_MANY = 3;

    /** @param service the time that the worker takes for a request */
    static Overload of(BlockingQueue<Runnable> queue, Duration service, Duration length) throws InterruptedException {
        Worker worker = new Worker(queue, service.toNanos());
        long start = System.nanoTime();
        int accepted = 0;
        int refused = 0;
        worker.start();
        for (long i = 0; System.nanoTime() - start < length.toNanos(); i++) {
            for (long wait; (wait = start + i * service.toNanos() / TIMES_TOO_MANY - System.nanoTime()) > 0;) {
                LockSupport.parkNanos(wait);
            }
            if (queue.offer(worker.request())) {
                accepted++;
            } else {
                refused++;
            }
        }
        return worker.end().seen(accepted, refused, start + length.toNanos() / 2);
    }

    /** When a request was offered and when it was taken, by System.nanoTime. */
    private record Times(long offered, long taken) {}

    private static final class Worker extends Thread {
        private final BlockingQueue<Runnable> queue;
        private final long serviceNanos;
        private final List<Times> served = new ArrayList<>();

        Worker(BlockingQueue<Runnable> queue, long serviceNanos) {
            super("worker of a student's queue");
            setDaemon(true);
            this.queue = queue;
            this.serviceNanos = serviceNanos;
        }

        Runnable request() {
            long offered = System.nanoTime();
            return () -> {
                long taken = System.nanoTime();
                served.add(new Times(offered, taken));
                LockSupport.parkNanos(serviceNanos);
            };
        }

        @Override
        public void run() {
            try {
                while (!isInterrupted()) {
                    queue.take().run();
                }
            } catch (InterruptedException e) {
                // the end of the trial
            }
        }

        /** What is left in the queue goes with it: the next trial begins with an empty one. */
        Worker end() throws InterruptedException {
            interrupt();
            join();
            while (queue.poll() != null) {
                // not clear(): a queue may count what comes and goes
            }
            return this;
        }

        Overload seen(int accepted, int refused, long since) {
            List<Times> late = served.stream().filter(times -> times.taken >= since).toList();
            if (late.size() < 2) {
                throw new AssertionError("of %d requests that came, %d were accepted and %d served: too few to tell".formatted(accepted + refused, accepted, served.size()));
            }
            double service = (late.getLast().taken - late.getFirst().taken) / (late.size() - 1.0);
            double wait = late.stream().mapToDouble(times -> times.taken - times.offered).sorted().skip(late.size() / 2).findFirst().orElseThrow();
            return new Overload(accepted, refused, service / 1e6, wait / 1e6);
        }
    }
}
