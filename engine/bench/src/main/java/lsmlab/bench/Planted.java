// SPDX-License-Identifier: Apache-2.0
package lsmlab.bench;

import java.util.Arrays;
import lsmlab.storage.options.TableFilter;

/**
 * A difference that {@code scripts/bench measuring} plants in a server, to see whether it is found: each table that a GET asks takes so many readings of the
 * clock more ({@code -Dlsmlab.bench.sixteenths=N} of a reading, on average over the keys). WHY readings: steps of computing would cost what the compiler
 * makes of them in each JVM, and a wait until a time has passed costs a reading even where that is 0. It spares no table.
 */
public final class Planted implements TableFilter {
    private static final int PARTS = 16;
    private static final int SIXTEENTHS = Integer.getInteger("lsmlab.bench.sixteenths", 0);

    @Override
    public void build(byte[][] keys) {}

    @Override
    public boolean mayHold(byte[] key) {
        int readings = SIXTEENTHS / PARTS + (Math.floorMod(Arrays.hashCode(key), PARTS) < SIXTEENTHS % PARTS ? 1 : 0);
        long read = 0;
        for (int i = 0; i < readings; i++) {
            read |= System.nanoTime();
        }
        return read >= 0; // as the clock always is; so the readings are not in vain
    }
}
