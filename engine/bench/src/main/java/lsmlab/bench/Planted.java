// SPDX-License-Identifier: Apache-2.0
package lsmlab.bench;

import lsmlab.storage.options.TableFilter;

/**
 * A difference that {@code scripts/bench measuring} plants in a server, to see whether it is found: each table that a GET asks costs some steps of
 * computing more ({@code -Dlsmlab.bench.steps=N}). It spares no table.
 */
public final class Planted implements TableFilter {
    private static final int STEPS = Integer.getInteger("lsmlab.bench.steps", 0);
    private static volatile long result; // so that no step is left out

    @Override
    public void build(byte[][] keys) {}

    @Override
    public boolean mayHold(byte[] key) {
        long mixed = key.length;
        for (int i = 0; i < STEPS; i++) {
            mixed = (mixed ^ mixed >>> 29) * 0xBF58476D1CE4E5B9L + i;
        }
        result = mixed;
        return true;
    }
}
