// SPDX-License-Identifier: Apache-2.0
package lsmlab.bench;

import java.io.IOException;
import java.util.List;

/** What every store of the comparison can do. Keys are 16 bytes; values come back as what the store hands out most cheaply. */
interface Store extends AutoCloseable {
    /** Durable as the store was opened: handed to the operating system, or synced. */
    void put(byte[] key, byte[] value) throws Exception;

    /** Length of the value, -1 if there is none; the value is read as far as the store's users must to have it. */
    int get(byte[] key) throws Exception;

    /** How many of the keys have a value; the store is asked for all of them at once where it can be. */
    default int getAll(List<byte[]> keys) throws Exception {
        int found = 0;
        for (byte[] key : keys) {
            found += get(key) >= 0 ? 1 : 0;
        }
        return found;
    }

    /** Sum of all value bytes, as signed numbers, of up to {@code entries} entries from the key on. */
    long scan(byte[] from, int entries) throws Exception;

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
