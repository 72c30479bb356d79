// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage.memtable;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.stream.IntStream;
import lsmlab.storage.keys.Digits;

/**
 * Where in a memtable's list a search may begin: the keys are cut into as many ranges as there will be nodes of some height, and for each range one such node is known that lies in it. WHY: on
 * the way from the top, each level is a branch that no processor foresees, and mostly a line that its cache does not hold.
 */
final class Shortcuts {
    /** Heights of the nodes where searches begin. Three in four writes need two levels of the path, and nearly all the others five. */
    private static final int[] HEIGHTS = {2, 5};
    private static final int MOST_EMPTY_RANGES = 16; // that are looked at

    /** Of all the nodes that it knows. */
    final int height;
    private final Digits.Ranges ranges;
    private final MemorySegment nodes; // of each range; 0: none so far

    /** For keys like these, the lowest first; none if there is no memory for them. */
    static Shortcuts[] of(Digits digits, int count, Arena arena) {
        try {
            return IntStream.of(HEIGHTS).mapToObj(height -> new Shortcuts(height, digits, count, arena)).toArray(Shortcuts[]::new);
        } catch (OutOfMemoryError e) {
            return new Shortcuts[] {};
        }
    }

    /**
     * @param digits of the keys that are expected
     * @param count of nodes that are expected, of any height
     */
    private Shortcuts(int height, Digits digits, int count, Arena arena) {
        this.height = height;
        ranges = digits.ranges(Math.max(1, count >> height - 1));
        nodes = arena.allocate(ranges.count() * Integer.BYTES, Integer.BYTES);
    }

    /** A node before all that have this hint; 0, which is before all, if none is near. */
    int before(long hint) {
        long range = ranges.of(hint);
        for (long i = range - 1; i >= Math.max(0, range - MOST_EMPTY_RANGES); i--) {
            int node = (int) Nodes.NEXT.getAcquire(nodes, i * Integer.BYTES);
            if (node != 0) {
                return node;
            }
        }
        return 0;
    }

    /** REQUIRES: a node that is high enough, to which the list leads already. */
    void add(long hint, int node) {
        long range = ranges.of(hint);
        if (range != Digits.NONE) {
            Nodes.NEXT.setRelease(nodes, range * Integer.BYTES, node);
        }
    }

    long bytes() {
        return nodes.byteSize();
    }
}
