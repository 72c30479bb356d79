// SPDX-License-Identifier: Apache-2.0
package lsmlab.load.plan;

/** The first request is due at a given moment, each other one when the response before it is there: shows what a server can do, never latency under a load. */
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
