// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import java.lang.foreign.MemorySegment;
import java.util.Objects;
import lsmlab.storage.commit.Write;
import lsmlab.storage.format.Format;

/** Puts and deletes that are applied together or not at all, in their order. Not for use by several threads. */
public final class Batch {
    static final long MAX_BYTES = 1L << 30;

    private Write first;
    private Write last;
    private long bytes;

    /** An empty one. */
    public Batch() {}

    public Batch put(MemorySegment key, MemorySegment value) {
        return add(new Write(key, Objects.requireNonNull(value)));
    }

    public Batch delete(MemorySegment key) {
        return add(new Write(key, null));
    }

    private Batch add(Write write) {
        long more = write.keyBytes() + write.valueBytes() + Format.WRITE_HEAD_BYTES;
        if (bytes + more > MAX_BYTES) {
            throw new IllegalArgumentException("a batch holds at most %d bytes".formatted(MAX_BYTES));
        }
        bytes += more;
        if (first == null) {
            first = write;
        } else {
            last.next = write;
        }
        last = write;
        return this;
    }

    Write first() {
        return first;
    }
}
