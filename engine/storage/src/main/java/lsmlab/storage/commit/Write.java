// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage.commit;

import java.lang.foreign.MemorySegment;
import lsmlab.storage.entries.Entry;
import lsmlab.storage.format.Format;
import lsmlab.storage.keys.Keys;
import lsmlab.storage.stats.WriteTrace;

/**
 * A put or a delete on its way to the log and the memtable. The writes of a batch are linked; the first one represents the batch in the
 * {@link CommitQueue}.
 */
public final class Write {
    private static final Thread ANY_OTHER = Thread.ofPlatform().unstarted(() -> {});

    public final MemorySegment key;
    public final MemorySegment value;
    /** Null: nothing is recorded. */
    public final WriteTrace trace;
    /** The rest of the batch. */
    public Write next;

    public Write nextWaiting;
    Thread writer;
    Throwable failure; // says why it was not applied; null if it was
    volatile boolean done; // set last: its writer may go on

    /** A null value deletes the key. */
    public Write(MemorySegment key, MemorySegment value) {
        this(key, value, null);
    }

    /** @param trace learns when the write passes its steps; null: nothing does */
    public Write(MemorySegment key, MemorySegment value, WriteTrace trace) {
        if (key.byteSize() > Entry.MAX_KEY_BYTES) {
            throw new IllegalArgumentException("key of %d bytes, the most is %d".formatted(key.byteSize(), Entry.MAX_KEY_BYTES));
        }
        if (value != null && value.byteSize() > Entry.MAX_VALUE_BYTES) {
            throw new IllegalArgumentException("value of %d bytes, the most is %d".formatted(value.byteSize(), Entry.MAX_VALUE_BYTES));
        }
        this.key = sharable(key);
        this.value = value == null ? null : sharable(value);
        this.trace = trace;
    }

    /** Another thread may lead the group, so it must be able to read what this one brings. */
    private static MemorySegment sharable(MemorySegment bytes) {
        if (!bytes.scope().isAlive()) { // WHY not left to a copy: one that meets the closing thread may leave this thread interrupted
            throw new IllegalStateException("the memory of a key or value has been closed");
        }
        return bytes.isAccessibleBy(ANY_OTHER) ? bytes : Keys.copy(bytes);
    }

    public long keyBytes() {
        return key.byteSize();
    }

    public long valueBytes() {
        return value == null ? 0 : value.byteSize();
    }

    /** Bytes that the batch takes in a table, index and filter apart. */
    public long batchBytes() {
        long bytes = 0;
        for (Write write = this; write != null; write = write.next) {
            bytes += Format.entryBytes(write.keyBytes(), write.valueBytes());
        }
        return bytes;
    }

    /** The calling thread waits for it from now on. */
    void begin() {
        writer = Thread.currentThread();
        failure = null;
        done = false;
        if (trace != null) {
            trace.begin();
        }
    }
}
