// SPDX-License-Identifier: Apache-2.0
package lsmlab.load.result;

import java.util.List;

/**
 * Single requests of a run, as {@code --slowest} asks for them. {@code --json} writes its fields beside those of the {@link LoadResult}.
 *
 * @param beginNanos when what is counted begins, by System.nanoTime, and when the run ended
 * @param tracedOf responses that they were taken from
 * @param slowest those with the longest response times, slowest first
 * @param typical as many, drawn at random from all
 * @param pauses of the generator's own threads
 */
public record TracedRequests(long beginNanos, long endNanos, long tracedOf, List<Traced> slowest, List<Traced> typical, List<Pause> pauses) {
    /**
     * One request; a server knows it by the client's port and its number on that connection. Times are nanoseconds of {@code System.nanoTime}.
     *
     * @param thread of the generator, from 0
     * @param port of the client
     * @param number of the request on its connection, from 0
     * @param status of the response
     * @param dueNanos when it was due
     * @param freeNanos when its connection was free for it, if that was known; else earlier than it was due
     * @param sentNanos when it began to be sent
     * @param receivedNanos when its response was there
     */
    public record Traced(int thread, int port, int number, int status, long dueNanos, long freeNanos, long sentNanos, long receivedNanos) {
        public long responseNanos() {
            return receivedNanos - dueNanos;
        }
    }

    /** A thread of the generator was late for its connections for a millisecond or more: it had no processor, was stopped, or busy. */
    public record Pause(int thread, long fromNanos, long toNanos) {}
}
