// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage.table;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import lsmlab.storage.format.Format;

/**
 * Where in a table's index to search: for each value of the leading bits of a prefix, the first block that has it or a higher one. Only bits in which the prefixes differ count, so that keys of
 * digits or letters spread as well as others; there are about as many values as blocks, so that a search mostly looks at a few prefixes that lie side by side.
 */
final class BlockIndex {
    private final long any; // prefix; the bits that do not differ are as in this one
    private final long differing;
    private final int shift; // from the differing bits to those that lead
    private final MemorySegment first;

    /** @param prefixes of a table's blocks, ascending; at least one */
    BlockIndex(Arena arena, MemorySegment prefixes, int blocks) {
        any = prefixes.get(Format.LONG, 0);
        long bits = 0;
        for (int block = 1; block < blocks; block++) {
            bits |= prefix(prefixes, block) ^ any;
        }
        differing = bits;
        int leading = Math.min(Long.bitCount(differing), Integer.SIZE - Integer.numberOfLeadingZeros(blocks));
        shift = Long.bitCount(differing) - leading;
        int values = 1 << leading;
        first = arena.allocate((values + 1L) * Integer.BYTES, Integer.BYTES);
        int value = 0;
        for (int block = 0; block < blocks; block++) {
            for (int own = leading(prefix(prefixes, block)); value <= own; value++) {
                first.setAtIndex(JAVA_INT, value, block);
            }
        }
        for (; value <= values; value++) {
            first.setAtIndex(JAVA_INT, value, blocks);
        }
    }

    private static long prefix(MemorySegment prefixes, int block) {
        return prefixes.get(Format.LONG, block * 8L);
    }

    private int leading(long prefix) {
        return (int) (Long.compress(prefix, differing) >>> shift);
    }

    /** Whether the search may begin and end where this says. It may not for a prefix that is unlike all of the table's. */
    boolean knows(long prefix) {
        return ((prefix ^ any) & ~differing) == 0;
    }

    /** The blocks before it have a lower prefix. REQUIRES: {@link #knows}. */
    int from(long prefix) {
        return first.getAtIndex(JAVA_INT, leading(prefix));
    }

    /** The blocks from it on have a higher prefix. REQUIRES: {@link #knows}. */
    int to(long prefix) {
        return first.getAtIndex(JAVA_INT, leading(prefix) + 1L);
    }
}
