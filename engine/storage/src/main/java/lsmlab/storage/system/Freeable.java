// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage.system;

import java.lang.foreign.Arena;

/** Memory outside the heap that a tree holds. It is freed when no reader can reach it any more. */
public interface Freeable {
    /** Memory that a slow scan keeps from being freed; 0 for a file's. */
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

    /** The same without waiting for a thread that is inside one call with a value of it; false if there is one. */
    default boolean tryClose() {
        return Threads.tryClose(arena());
    }
}
