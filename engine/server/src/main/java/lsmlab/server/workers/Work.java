// SPDX-License-Identifier: Apache-2.0
package lsmlab.server.workers;

/** What {@link Workers} run. */
public abstract class Work implements Runnable {
    private long submittedNanos;

    final void submitted() {
        submittedNanos = System.nanoTime();
    }

    /** Since {@link #submitted}. */
    final long waitedNanos() {
        return System.nanoTime() - submittedNanos;
    }
}
