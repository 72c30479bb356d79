// SPDX-License-Identifier: Apache-2.0
package lsmlab.load.plan;

/**
 * When the requests of one connection are due: request k at {@code firstDueNanos + k * intervalNanos}, however late the ones before it were.
 * Times are {@link System#nanoTime}.
 *
 * @param firstCounted number of the first request that is due after the warm-up
 */
public record Schedule(long firstDueNanos, double intervalNanos, long firstCounted) {
    /** wrk2's calibration: without a warm-up, latencies up to here are thrown away if the run is longer. */
    public static final long CALIBRATION_NANOS = 10_000_000_000L;
    /** Between the starts of two connections of a thread, as in wrk2. */
    public static final long START_STEP_NANOS = 5_000_000;

    /** @param measureNanos when the warm-up ends */
    public static Schedule of(long firstDueNanos, double intervalNanos, long measureNanos) {
        return new Schedule(firstDueNanos, intervalNanos, dueBefore(measureNanos, firstDueNanos, intervalNanos));
    }

    public long dueNanos(long number) {
        return firstDueNanos + (long) (number * intervalNanos);
    }

    /** Requests that are due before the end, the warm-up's included. */
    public long dueBefore(long end) {
        return dueBefore(end, firstDueNanos, intervalNanos);
    }

    private static long dueBefore(long end, long firstDueNanos, double intervalNanos) {
        return end <= firstDueNanos ? 0 : (long) Math.ceil((end - firstDueNanos) / intervalNanos);
    }

    /** Requests that are due after the warm-up and before the end. */
    public long planned(long end) {
        return Math.max(0, dueBefore(end) - firstCounted);
    }
}
