// SPDX-License-Identifier: Apache-2.0
package lsmlab.load.plan;

/** The next request is due when the last one's response is there, from a moment on: it shows what a server can do, and never latency under a load. */
public record ClosedLoop(long firstDueNanos) implements Schedule {
    @Override
    public long dueNanos(long number, long freeNanos) {
        return Math.max(firstDueNanos, freeNanos);
    }

    @Override
    public boolean isOpen() {
        return false;
    }

    @Override
    public long dueBefore(long end) {
        return 0;
    }

    @Override
    public long firstCounted() {
        return 0;
    }
}
