// SPDX-License-Identifier: Apache-2.0
package lsmlab.server.workers;

import java.util.concurrent.RejectedExecutionException;

/** The threads that handle requests: the selector that read them, a pool, or a virtual thread for each. */
public interface Workers extends AutoCloseable {

    /** Runs it now or later; a full one refuses it. */
    void execute(Work work) throws RejectedExecutionException;

    Stats stats();

    /** Lets what was taken finish, and ends the threads. */
    @Override
    void close();

    /**
     * Counters since the start; times in nanoseconds.
     *
     * @param threads 0 where there is no pool
     * @param queue kind of the queue; null where there is none
     * @param capacity requests that may wait; of virtual workers, that may be handled at the same time
     * @param active requests that are handled at the moment
     * @param queueLength requests that wait at the moment
     * @param waited requests that came out of the queue
     * @param waitNanos how long all of them together were in it
     * @param rejected requests that were answered 503 because there was no room
     */
    record Stats(String kind, int threads, String queue, int capacity, int active, int queueLength, long waited, long waitNanos,
            long longestWaitNanos, long rejected) {}

    /** On the thread that brings the request. */
    final class Sync implements Workers {
        @Override
        public void execute(Work work) {
            work.run();
        }

        @Override
        public Stats stats() {
            return new Stats("sync", 0, null, 0, 0, 0, 0, 0, 0, 0);
        }

        @Override
        public void close() {
            // no threads of its own
        }
    }
}
