// SPDX-License-Identifier: Apache-2.0
package lsmlab.load.plan;

/**
 * When the requests of one connection are due. Requests are numbered from 0; times are {@link System#nanoTime}. One thread uses it, and asks
 * for the same number again or a higher one.
 */
public interface Schedule {
    /** wrk2's calibration: without a warm-up, latencies up to here are thrown away if the run is longer. */
    long CALIBRATION_NANOS = 10_000_000_000L;
    /** Between the starts of two connections of a thread, as in wrk2. */
    long START_STEP_NANOS = 5_000_000;

    /** @param freeNanos when the connection had its last response; only a closed loop waits for that */
    long dueNanos(long number, long freeNanos);

    /** Whether it is a plan that does not depend on responses. */
    default boolean isOpen() {
        return true;
    }

    /** Requests that are due before the end, the warm-up's included; 0 in a closed loop. */
    long dueBefore(long end);

    /** Number of the first request that is due after the warm-up. */
    long firstCounted();

    /** Requests that are due after the warm-up and before the end. */
    default long planned(long end) {
        return Math.max(0, dueBefore(end) - firstCounted());
    }
}
