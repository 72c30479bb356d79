// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage.assembled;

import java.util.Arrays;

/**
 * A key with what was written last for it. Keys compare as unsigned bytes, as {@link Arrays#compareUnsigned(byte[], byte[])} does.
 *
 * @param value null: the key was deleted
 */
public record KeyValue(byte[] key, byte[] value) {
    public boolean isDeleted() {
        return value == null;
    }
}
