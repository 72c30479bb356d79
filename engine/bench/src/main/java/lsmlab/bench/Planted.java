// SPDX-License-Identifier: Apache-2.0
package lsmlab.bench;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import lsmlab.storage.options.TableFilter;

/**
 * A difference that {@code scripts/bench measuring} plants in a server, to see whether it is found: a thread takes N nanoseconds of processor time for each table that
 * a GET asks ({@code -Dlsmlab.bench.nanos=N}). WHY not in the GET itself: selectors that take longer for a request find more of the others ready
 * afterwards, and wait less often. So 8 readings of the clock a table cost 1 % of a GET, and 44 cost 41 %. With a thread of its own that effect is smaller, but still there:
 * how much to plant is found by trying. It spares no table.
 */
public final class Planted implements TableFilter {
    private static final double NANOS = Double.parseDouble(System.getProperty("lsmlab.bench.nanos", "0"));
    private static final long LOOK_NANOS = 1_000_000;
    private static final LongAdder ASKED = new LongAdder();

    static {
        if (NANOS > 0) {
            Thread.ofPlatform().daemon().name("planted").start(Planted::take);
        }
    }

    /** The thread's processor time follows what is due, its own looks at the clock included. */
    private static void take() {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        while (true) {
            if (threads.getCurrentThreadCpuTime() >= NANOS * ASKED.sum()) {
                LockSupport.parkNanos(LOOK_NANOS);
            }
        }
    }

    @Override
    public void build(byte[][] keys) {}

    @Override
    public boolean mayHold(byte[] key) {
        ASKED.increment();
        return true;
    }
}
