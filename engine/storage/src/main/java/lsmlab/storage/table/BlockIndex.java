// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage.table;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.stream.LongStream;
import lsmlab.storage.format.Format;
import lsmlab.storage.keys.Digits;

/** Where in a table's index to search: the prefixes are cut into ranges. In three of five no block begins, so a search reads no prefix; in the others it mostly reads one. */
final class BlockIndex {
    private static final int RANGES_OF_A_BLOCK = 2; // on average

    private final Digits.Ranges ranges;
    private final MemorySegment first; // for each range the first block that is in it or beyond

    /** @param prefixes of a table's blocks, ascending; at least one */
    BlockIndex(Arena arena, MemorySegment prefixes, int blocks) {
        ranges = new Digits(LongStream.range(0, blocks).map(block -> prefix(prefixes, block))).ranges((long) RANGES_OF_A_BLOCK * blocks);
        first = arena.allocate((ranges.count() + 1) * Integer.BYTES, Integer.BYTES);
        long range = 0;
        for (int block = 0; block < blocks; block++) {
            for (long own = ranges.of(prefix(prefixes, block)); range <= own; range++) {
                first.setAtIndex(JAVA_INT, range, block);
            }
        }
        for (; range <= ranges.count(); range++) {
            first.setAtIndex(JAVA_INT, range, blocks);
        }
    }

    private static long prefix(MemorySegment prefixes, long block) {
        return prefixes.get(Format.LONG, block * 8);
    }

    /** The range of a prefix; {@link Digits#NONE} if it is unlike all of the table's, and the search may begin and end anywhere. */
    long range(long prefix) {
        return ranges.of(prefix);
    }

    /** The blocks before it have a lower prefix. */
    int from(long range) {
        return first.getAtIndex(JAVA_INT, range);
    }

    /** The blocks from it on have a higher prefix. */
    int to(long range) {
        return first.getAtIndex(JAVA_INT, range + 1);
    }
}
