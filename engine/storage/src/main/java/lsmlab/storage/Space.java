// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

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

    static Space of(Tree tree) {
        long entries = 0;
        long live = 0;
        for (Cursor cursor = tree.cursor(null); cursor.next();) {
            entries++;
            live += cursor.keyLength + cursor.valueLength;
        }
        long memtables = tree.active().tableBytes() + tree.frozen().stream().mapToLong(Memtable::tableBytes).sum();
        return new Space(entries, live, tree.runs().stream().mapToLong(Run::bytes).sum() + memtables);
    }
}
