// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import java.util.concurrent.atomic.LongAdder;

/** What the engine counts while it works; {@link Stats} is its reading. */
final class Counters {
    final LongAdder puts = new LongAdder();
    final LongAdder deletes = new LongAdder();
    final LongAdder userBytes = new LongAdder();
    final LongAdder gets = new LongAdder();
    final LongAdder tablesAsked = new LongAdder();
    final LongAdder tablesPruned = new LongAdder();
    final LongAdder probes = new LongAdder();

    // GUARDED BY the engine's write lock
    long flushes;
    long flushedBytes;
    long flushNanos;
    long stalls;
    long stallNanos;
    long longestStallNanos;

    void looked(Lookup lookup) {
        gets.increment();
        tablesAsked.add(lookup.tablesAsked);
        tablesPruned.add(lookup.tablesPruned);
        probes.add(lookup.probes);
    }

    void stalled(long nanos) {
        stalls++;
        stallNanos += nanos;
        longestStallNanos = Math.max(longestStallNanos, nanos);
    }

    void flushed(long bytes, long nanos) {
        flushes++;
        flushedBytes += bytes;
        flushNanos += nanos;
    }
}
