// SPDX-License-Identifier: Apache-2.0
package lsmlab.server;

/**
 * What one connection may take.
 *
 * @param maxBodyBytes of a request
 * @param idleMillis a connection without a request, or whose client reads nothing of its answer
 * @param requestMillis from the first byte of a request to its last
 */
record Limits(int maxBodyBytes, long idleMillis, long requestMillis) {
    /** How often connections are looked at, so a limit is kept to within a quarter or a second. */
    long checkMillis() {
        return Math.max(1_000, Math.min(idleMillis, requestMillis) / 4); // one-nio takes smaller numbers for seconds
    }
}
