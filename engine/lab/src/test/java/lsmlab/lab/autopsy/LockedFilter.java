// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.autopsy;

import java.util.concurrent.locks.LockSupport;
import lsmlab.storage.options.TableFilter;

/** A filter whose lock another thread holds for 1 s, then leaves free for half a second. */
public final class LockedFilter implements TableFilter {
    private static final Object LOCK = new Object();
    private static final long HELD_NANOS = 1_000_000_000;
    private static final long FREE_NANOS = 500_000_000;

    static {
        Thread.ofPlatform().daemon().name("holder").start(LockedFilter::hold);
    }

    private static void hold() {
        while (true) {
            LockSupport.parkNanos(FREE_NANOS);
            synchronized (LOCK) {
                for (long end = System.nanoTime() + HELD_NANOS; System.nanoTime() < end;) {
                    LockSupport.parkNanos(HELD_NANOS);
                }
            }
        }
    }

    @Override
    public void build(byte[][] keys) {}

    @Override
    public boolean mayHold(byte[] key) {
        synchronized (LOCK) {
            return true;
        }
    }
}
