// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage.entries;

import java.lang.foreign.MemorySegment;

/**
 * A key and its newest value.
 *
 * @param key 0 to {@link #MAX_KEY_BYTES} bytes, ordered unsigned
 * @param value 0 to {@link #MAX_VALUE_BYTES} bytes
 */
public record Entry(MemorySegment key, MemorySegment value) {
    public static final long MAX_KEY_BYTES = 64 << 10;
    public static final long MAX_VALUE_BYTES = 64 << 20;
}
