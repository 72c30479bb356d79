// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage.assembled;

import java.util.Iterator;

/** What was written last, in memory. One thread uses it at a time. */
public interface Memtable {
    /** @param value null: the key is deleted, which has to be remembered, since a table may have the key */
    void put(byte[] key, byte[] value);

    /** What was written last for this key; null if nothing was. */
    KeyValue get(byte[] key);

    /** Each key once, with what was written last for it, in ascending order. */
    Iterator<KeyValue> ascending();

    /** About the bytes of all keys and values that {@link #ascending} returns. */
    long bytes();
}
