// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage.entries;

import java.lang.foreign.MemorySegment;

/**
 * Receives a value in place, so that it can be copied once, straight to its destination. What it needs beside the value is its context, so a
 * reader can be a constant and a get allocates nothing for it.
 */
public interface ValueReader<C, R> {
    /** The value is at {@code source[offset, offset + length)}, and only until this returns; the result should not be null. */
    R read(C context, MemorySegment source, long offset, int length);
}
