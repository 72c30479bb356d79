// SPDX-License-Identifier: Apache-2.0
package lsmlab.server.session;

/**
 * What connections may take.
 *
 * @param maxBodyBytes of a request
 * @param idleMillis a connection without a request, or whose client reads nothing of its answer
 * @param requestMillis from the first byte of a request to its last
 * @param connections at the same time; beyond them the longest idle one is closed, or the new one refused
 * @param ranges that are answered at the same time; beyond them the oldest is ended
 */
public record Limits(long maxBodyBytes, long idleMillis, long requestMillis, int connections, int ranges) {
    public static final int MOST_CONNECTIONS = 16_384;
    /** How often connections are looked at: a limit is kept to within it. */
    public static final int CHECK_MILLIS = 1_000; // one-nio takes smaller numbers for seconds
    /** A client that was refused has so long to send on, or to close. */
    static final long LINGER_MILLIS = 2_000;
    /** Connections beyond the limit, for other nodes and for status, stats and metrics. */
    public static final int RESERVED_CONNECTIONS = 16;

    public Limits withConnections(int count) {
        return new Limits(maxBodyBytes, idleMillis, requestMillis, count, ranges);
    }
}
