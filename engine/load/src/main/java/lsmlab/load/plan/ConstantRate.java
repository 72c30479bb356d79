// SPDX-License-Identifier: Apache-2.0
package lsmlab.load.plan;

/** An open loop, as wrk2's: request k is due at {@code firstDueNanos + k * intervalNanos}, however late the ones before it were. */
public record ConstantRate(long firstDueNanos, double intervalNanos, long firstCounted) implements Schedule {
    /** @param measureNanos when the warm-up ends */
    public static ConstantRate of(long firstDueNanos, double intervalNanos, long measureNanos) {
        return new ConstantRate(firstDueNanos, intervalNanos, dueBefore(measureNanos, firstDueNanos, intervalNanos));
    }

    @Override
    public long dueNanos(long number, long freeNanos) {
        return firstDueNanos + (long) (number * intervalNanos);
    }

    @Override
    public long dueBefore(long end) {
        return dueBefore(end, firstDueNanos, intervalNanos);
    }

    private static long dueBefore(long end, long firstDueNanos, double intervalNanos) {
        return end <= firstDueNanos ? 0 : (long) Math.ceil((end - firstDueNanos) / intervalNanos);
    }
}
