// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

/** Writes would have to wait, and {@link Backpressure#FAIL} is chosen: nothing was written; the same write may succeed a little later. */
public final class WriteRefusedException extends RuntimeException {
    WriteRefusedException() {
        super("all memtables are full, or compaction is too far behind");
    }
}
