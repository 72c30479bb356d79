// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.autopsy;

import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.ToIntBiFunction;

/** Takes a second for every fortieth id, at a place where the server takes no time. */
public final class SlowSharding implements ToIntBiFunction<String, List<String>> {
    private static final AtomicInteger ASKED = new AtomicInteger();

    @Override
    public int applyAsInt(String id, List<String> nodes) {
        for (long end = System.nanoTime() + (ASKED.incrementAndGet() % 40 == 0 ? 1_000_000_000 : 0); System.nanoTime() < end;) {
            LockSupport.parkNanos(end - System.nanoTime());
        }
        return Math.floorMod(id.hashCode(), nodes.size());
    }
}
