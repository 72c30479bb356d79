// SPDX-License-Identifier: Apache-2.0
package lsmlab.load.result;

import java.util.List;

/**
 * Single requests of a run, as {@code --slowest} asks for them. {@code --json} writes its fields beside those of the {@link LoadResult}.
 *
 * @param tracedOf responses that they were taken from
 * @param slowest those with the longest response times, slowest first
 * @param typical as many, drawn at random from all
 */
public record TracedRequests(long tracedOf, List<Traced> slowest, List<Traced> typical) {
    /**
     * One request; a server knows it by the client's port and its number on that connection. Times are nanoseconds of {@code System.nanoTime}.
     *
     * @param port of the client
     * @param number of the request on its connection, from 0
     * @param status of the response
     * @param dueNanos when it was due
     * @param freeNanos when its connection was free for it, if that was known; else earlier than it was due
     * @param sentNanos when it began to be sent
     * @param receivedNanos when its response was there
     */
    public record Traced(int port, int number, int status, long dueNanos, long freeNanos, long sentNanos, long receivedNanos) {
        public long responseNanos() {
            return receivedNanos - dueNanos;
        }
    }
}
