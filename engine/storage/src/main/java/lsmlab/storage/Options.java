// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import java.util.Objects;

/**
 * The choices an engine is opened with. {@link #defaults()} are the fast and safe ones.
 *
 * @param flushThresholdBytes size of the table that the memtable would make, at which it is frozen and flushed; the reports' "block size"
 * @param pruning how a look-up skips tables
 * @param search how a look-up searches a table it could not skip
 */
public record Options(long flushThresholdBytes, Pruning pruning, Search search) {
    public Options {
        if (flushThresholdBytes < 1) {
            throw new IllegalArgumentException("flush threshold is " + flushThresholdBytes + " bytes, it must be at least 1");
        }
        Objects.requireNonNull(pruning);
        Objects.requireNonNull(search);
    }

    public static Options defaults() {
        return new Options(64L << 20, Pruning.RANGE, Search.BINARY);
    }

    public Options withFlushThresholdBytes(long bytes) {
        return new Options(bytes, pruning, search);
    }

    public Options withPruning(Pruning pruning) {
        return new Options(flushThresholdBytes, pruning, search);
    }
}
