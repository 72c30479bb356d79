// SPDX-License-Identifier: Apache-2.0
package lsmlab.bench;

import lsmlab.storage.options.TableFilter;

/**
 * A difference that {@code scripts/bench measuring} plants in a server, to see whether it is found: each table that a GET asks takes so many nanoseconds of
 * processor time more ({@code -Dlsmlab.bench.nanos=N}), by the clock, because steps of computing would cost what the compiler makes of them in each JVM.
 * It spares no table.
 */
public final class Planted implements TableFilter {
    private static final int NANOS = Integer.getInteger("lsmlab.bench.nanos", 0);

    @Override
    public void build(byte[][] keys) {}

    @Override
    public boolean mayHold(byte[] key) {
        long start = System.nanoTime();
        while (System.nanoTime() - start < NANOS) {
            Thread.onSpinWait();
        }
        return true;
    }
}
