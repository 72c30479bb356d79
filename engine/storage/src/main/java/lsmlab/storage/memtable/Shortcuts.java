// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage.memtable;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import lsmlab.storage.keys.Digits;

/**
 * Where in a memtable's list a search may begin: the keys are cut into as many ranges as there will be nodes of some height, and for each range one such node is known that lies in it. WHY: on
 * the way from the top, each level is a branch that no processor foresees, and mostly a line that its cache does not hold.
 */
final class Shortcuts {
    private static final int LONGEST_WALK = 16;
    private static final VarHandle NODES = JAVA_INT.varHandle();

    /** Of all the nodes that it knows. */
    final int height;
    private final Digits digits;
    private final long width; // of a range
    private final MemorySegment nodes; // of each range; 0: none so far

    /**
     * @param digits of the keys that are expected
     * @param count of nodes that are expected, of any height
     */
    Shortcuts(int height, Digits digits, int count, Arena arena) {
        this.height = height;
        this.digits = digits;
        long ranges = Math.max(1, count >> height - 1);
        width = digits.values() / ranges + 1;
        nodes = arena.allocate((digits.values() / width + 1) * Integer.BYTES, Integer.BYTES);
    }

    /** A node before all that have this hint; 0, which is before all, if none is near. */
    int before(long hint) {
        long value = digits.of(hint);
        if (value == Digits.NONE) {
            return 0;
        }
        long range = value / width;
        for (long i = range - 1; i >= Math.max(0, range - LONGEST_WALK); i--) {
            int node = (int) NODES.getAcquire(nodes, i * Integer.BYTES);
            if (node != 0) {
                return node;
            }
        }
        return 0;
    }

    /** REQUIRES: a node that is high enough, to which the list leads already. */
    void add(long hint, int node) {
        long value = digits.of(hint);
        if (value != Digits.NONE) {
            NODES.setRelease(nodes, value / width * Integer.BYTES, node);
        }
    }
}
