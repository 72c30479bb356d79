// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.autopsy;

import java.util.concurrent.locks.LockSupport;
import lsmlab.storage.options.TableFilter;

/** A filter with two million objects, whose heap is collected twice a second. */
public final class GarbageFilter implements TableFilter {
    private static final Object[][] KEPT = new Object[2_000_000][];
    private static final long PERIOD_NANOS = 500_000_000;

    static {
        for (int i = 0; i < KEPT.length; i++) {
            KEPT[i] = new Object[] {i > 0 ? KEPT[i - 1] : null, null, null, null};
        }
        Thread.ofPlatform().daemon().name("collecting").start(GarbageFilter::collect);
    }

    private static void collect() {
        while (true) {
            LockSupport.parkNanos(PERIOD_NANOS);
            System.gc();
        }
    }

    @Override
    public void build(byte[][] keys) {}

    @Override
    public boolean mayHold(byte[] key) {
        return true;
    }
}
