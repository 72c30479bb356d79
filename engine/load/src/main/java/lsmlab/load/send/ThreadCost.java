// SPDX-License-Identifier: Apache-2.0
package lsmlab.load.send;

import java.lang.management.ManagementFactory;
import lsmlab.load.count.Tally;

/** What the calling thread has taken so far. */
record ThreadCost(long cpuNanos, long allocatedBytes) {
    private static final com.sun.management.ThreadMXBean THREADS = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();

    static ThreadCost now() {
        return new ThreadCost(THREADS.getCurrentThreadCpuTime(), THREADS.getCurrentThreadAllocatedBytes());
    }

    ThreadCost since(ThreadCost before) {
        return new ThreadCost(cpuNanos - before.cpuNanos, allocatedBytes - before.allocatedBytes);
    }

    void addTo(Tally tally) {
        tally.cpuNanos += cpuNanos;
        tally.allocatedBytes += allocatedBytes;
    }
}
