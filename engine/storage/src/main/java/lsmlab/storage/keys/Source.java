// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage.keys;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import lsmlab.storage.system.Threads;

/** What a tree holds, a memtable or a table: sorted entries in memory that must be freed when nobody reads it any more. */
public interface Source {
    /** The entries with a key of at least {@code from}, null for all; of a memtable those of this moment. */
    Cursor cursor(MemorySegment from);

    /** Searches for the lookup's key and records the result in the lookup; returns false if the key is absent. */
    boolean find(Lookup lookup);

    /** Memory that it takes outside the heap. */
    default long memoryBytes() {
        return 0;
    }

    /** Length of its file. */
    default long diskBytes() {
        return 0;
    }

    /** Its memory. */
    Arena arena();

    /** REQUIRES: no reader. */
    default void close() {
        Threads.close(arena());
    }

    /** The same without waiting for a thread that is inside one call with a value of this source; false if there is one. */
    default boolean tryClose() {
        return Threads.tryClose(arena());
    }
}
