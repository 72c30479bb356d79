// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import java.lang.foreign.MemorySegment;

/**
 * A key and its newest value. Inside the package a value may be {@link #TOMBSTONE}; what the engine hands out never is.
 *
 * @param key 0 to {@link Engine#MAX_KEY_BYTES} bytes, ordered unsigned
 * @param value 0 to {@link Engine#MAX_VALUE_BYTES} bytes
 */
public record Entry(MemorySegment key, MemorySegment value) {
    /** Marks a deletion. Told apart by identity, because a value may well be empty. */
    static final MemorySegment TOMBSTONE = MemorySegment.ofArray(new byte[0]);

    boolean isTombstone() {
        return value == TOMBSTONE;
    }
}
