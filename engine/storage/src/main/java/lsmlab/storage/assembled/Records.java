// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage.assembled;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;

/** Keys and values as bytes: the length of the key, that of the value or -1 if it was deleted, and both. */
final class Records {
    private static final int DELETED = -1;

    private Records() {}

    static void write(DataOutputStream out, KeyValue written) throws IOException {
        out.writeInt(written.key().length);
        out.writeInt(written.isDeleted() ? DELETED : written.value().length);
        out.write(written.key());
        if (!written.isDeleted()) {
            out.write(written.value());
        }
    }

    /** @throws java.io.EOFException if the bytes end within it */
    static KeyValue read(DataInputStream in) throws IOException {
        byte[] key = new byte[in.readInt()];
        int length = in.readInt();
        in.readFully(key);
        byte[] value = length == DELETED ? null : new byte[length];
        if (value != null) {
            in.readFully(value);
        }
        return new KeyValue(key, value);
    }
}
