// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import java.lang.foreign.MemorySegment;

/** Takes a value from where it lies, so that it is copied once, to where it is needed. */
public interface ValueReader<R> {
    /** The value is at {@code source[offset, offset + length)}, and only until this returns; the result should not be null. */
    R read(MemorySegment source, long offset, int length);
}
