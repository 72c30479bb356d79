// SPDX-License-Identifier: Apache-2.0
package lsmlab.bench;

import java.io.IOException;
import java.util.List;

/** What every store of the comparison can do. Keys are 16 bytes. */
interface Store extends AutoCloseable {
    /** Durable as the store was opened: handed to the operating system, or synced. */
    void put(byte[] key, byte[] value) throws Exception;

    /** All of them or none. */
    void putAll(List<byte[]> keys, List<byte[]> values) throws Exception;

    /** Copies the value, and says whether there is one. */
    boolean get(byte[] key, Value into) throws Exception;

    /** Whether there is a value, which is shown where it lies. Only of a store whose kind has views. */
    default boolean view(byte[] key) throws Exception {
        throw new UnsupportedOperationException("it has no views");
    }

    /** How many of the keys have a value, each of which is copied; the store is asked for all of them at once where it can be. */
    default int getAll(List<byte[]> keys, Value into) throws Exception {
        int found = 0;
        for (byte[] key : keys) {
            found += get(key, into) ? 1 : 0;
        }
        return found;
    }

    /** Sum of all value bytes, as signed numbers, of up to {@code entries} entries from the key on. */
    long scan(byte[] from, int entries, Value into) throws Exception;

    /** Sorted runs that a get may have to ask at the moment; a tree is one. */
    default int runs() throws Exception {
        return 1;
    }

    /** Returns when background work has ended. */
    void settle() throws Exception;

    /** Merges everything, as far as the store knows such a thing. */
    void compact() throws Exception;

    @Override
    void close() throws IOException;
}
