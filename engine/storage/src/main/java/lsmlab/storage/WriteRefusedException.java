// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import lsmlab.storage.options.Backpressure;

/**
 * Nothing was written, and the same write may succeed a little later: writes would have to wait, and {@link Backpressure#FAIL} is chosen; or
 * there is no room on the disk, no descriptor or no memory at the moment. The cause says which.
 */
public final class WriteRefusedException extends RuntimeException {
    WriteRefusedException() {
        super("all memtables are full, or compaction is too far behind");
    }

    WriteRefusedException(Throwable cause) {
        super("writes are refused until this is over: " + cause, cause);
    }
}
