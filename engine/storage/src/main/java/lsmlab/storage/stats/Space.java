// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage.stats;

/**
 * What the store holds beside what it takes, in bytes.
 *
 * @param entries keys that have a value
 * @param liveBytes those keys and their values
 * @param totalBytes all tables, and what the memtables would take as tables
 */
public record Space(long entries, long liveBytes, long totalBytes) {

    /** Space amplification: bytes taken per live byte; NaN in an empty store. */
    public double amplification() {
        return (double) totalBytes / liveBytes;
    }
}
