// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.history;

/**
 * What a client did to a key, and what it saw. Each value is written once.
 *
 * @param client counted from 1
 * @param value that was written or found; 0: nothing was found
 * @param startSeconds since the history began
 * @param done whether it was answered as carried out; a write that was not may take effect at any time, or never
 */
public record Operation(int client, int key, boolean isWrite, long value, double startSeconds, double endSeconds, boolean done) {
    /** When its effect is there at the latest. */
    double certainSeconds() {
        return done ? endSeconds : Double.POSITIVE_INFINITY;
    }
}
