// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage.assembled;

import java.io.IOException;
import java.util.Iterator;

/** A sorted file that never changes. One thread uses it at a time. */
public interface SortedTable extends AutoCloseable {
    /** What the table has of a key; null if nothing. */
    KeyValue get(byte[] key) throws IOException;

    /** All of it, in ascending order. */
    Iterator<KeyValue> ascending() throws IOException;

    @Override
    void close() throws IOException;
}
