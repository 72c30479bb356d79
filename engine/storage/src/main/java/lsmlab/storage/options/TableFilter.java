// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage.options;

import java.lang.foreign.MemorySegment;
import lsmlab.storage.keys.Keys;

/**
 * What is known of a table's keys without searching it, in place of the engine's own key range and Bloom filter. There is one for each
 * table, made when the table is opened. Any number of threads may ask it at the same time.
 */
public interface TableFilter {
    /** Called once, before the first question, with all keys of the table in ascending order. */
    void build(byte[][] keys);

    /** False only if the key is certainly not in the table: the table is not searched then. */
    boolean mayHold(byte[] key);

    /** 64 well mixed bits of a key: those that the engine's own filter uses. */
    static long hash(byte[] key) {
        return Keys.hash(MemorySegment.ofArray(key), 0, key.length);
    }
}
