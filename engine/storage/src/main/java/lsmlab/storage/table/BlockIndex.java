// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage.table;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.stream.LongStream;
import lsmlab.storage.format.Format;
import lsmlab.storage.keys.Digits;

/**
 * From a key to its block, in memory only and a fifth as long as the index on disk. The numbers of the blocks' prefixes ({@link Digits}) are cut into ranges, and a search reads one line of 64 bytes,
 * that of the key's range. Where a line can't tell, the index on disk does.
 *
 * <pre>
 * line = first:u31 block in this range or beyond | OVERFULL | places:u15 in the range where blocks begin, each in 16 bits * 30
 * </pre>
 */
final class BlockIndex {
    /** The answer of {@link #blockAt} where only whole prefixes can tell. */
    static final long UNSURE = -2;

    private static final int BLOCKS_OF_A_RANGE = 16; // on average
    private static final int LINE_BYTES = 64;
    private static final int FIRST_PLACE = 2; // of the 32 pieces of 16 bits
    private static final int PLACES = LINE_BYTES / Short.BYTES - FIRST_PLACE;
    private static final int PLACE_BITS = 15;
    private static final short ABOVE_ALL = (1 << PLACE_BITS) - 1; // where no block begins
    private static final int OVERFULL = 1 << 31; // more blocks begin in the range than there are places

    private static final long EACH_PLACE = 0x0001_0001_0001_0001L;
    private static final long HIGH_BITS = EACH_PLACE << PLACE_BITS;
    private static final long NO_PLACES = 0xFFFF_FFFFL; // in a line's first eight bytes: which block is the first
    private static final long TIED = 1L << 62;

    private final Digits.Ranges ranges;
    private final MemorySegment lines;

    /** @param prefixes of a table's blocks, ascending; at least one */
    BlockIndex(Arena arena, MemorySegment prefixes, int blocks) {
        Digits digits = new Digits(LongStream.range(0, blocks).map(block -> prefix(prefixes, block)));
        ranges = digits.ranges(Math.ceilDiv(blocks, BLOCKS_OF_A_RANGE));
        lines = arena.allocate((ranges.count() + 1) * LINE_BYTES, LINE_BYTES);
        int block = 0;
        for (long range = 0; range <= ranges.count(); range++) {
            int end = block;
            while (end < blocks && ranges.of(prefix(prefixes, end)) == range) {
                end++;
            }
            setLine(range, block, end, prefixes);
            block = end;
        }
    }

    private void setLine(long range, int first, int end, MemorySegment prefixes) {
        long line = range * LINE_BYTES;
        boolean isOverfull = end - first > PLACES;
        lines.set(JAVA_INT, line, isOverfull ? first | OVERFULL : first);
        for (int i = 0; i < PLACES; i++) {
            short place = first + i < end ? place(number(prefix(prefixes, first + i))) : ABOVE_ALL;
            lines.set(Format.SHORT, line + (FIRST_PLACE + (long) i) * Short.BYTES, place);
        }
    }

    private static long prefix(MemorySegment prefixes, long block) {
        return prefixes.get(Format.LONG, block * 8);
    }

    private short place(long number) {
        return (short) Math.min(ranges.within(number) >>> Long.SIZE - PLACE_BITS, ABOVE_ALL - 1);
    }

    /** The number of a prefix; {@link Digits#NONE} if it is unlike all of the table's, and its block may be anywhere. */
    long number(long prefix) {
        return ranges.digits().of(prefix);
    }

    /** The blocks before it begin below the range of a number. */
    int from(long number) {
        return lines.get(JAVA_INT, ranges.at(number) * LINE_BYTES) & ~OVERFULL;
    }

    /** The blocks from it on begin above the range of a number. */
    int to(long number) {
        return lines.get(JAVA_INT, (ranges.at(number) + 1) * LINE_BYTES) & ~OVERFULL;
    }

    /** The last block that begins at the place of a number or below; -1: there is none; or {@link #UNSURE}. If it {@link #isTied}, it may be the block before. */
    long blockAt(long number) {
        long line = ranges.at(number) * LINE_BYTES;
        int first = lines.get(JAVA_INT, line);
        if (first < 0) {
            return UNSURE;
        }
        short place = place(number);
        long next = (place + 1) * EACH_PLACE;
        int above = Long.bitCount((lines.get(Format.LONG, line) | NO_PLACES | HIGH_BITS) - next & HIGH_BITS);
        for (int at = Long.BYTES; at < LINE_BYTES; at += Long.BYTES) { // four places at a time
            above += Long.bitCount((lines.get(Format.LONG, line + at) | HIGH_BITS) - next & HIGH_BITS);
        }
        int notAbove = FIRST_PLACE + PLACES - above; // what is no place was counted as above
        long lastNotAbove = line + (FIRST_PLACE + notAbove - 1L) * Short.BYTES;
        long block = first + notAbove - 1L;
        return notAbove > 0 && lines.get(Format.SHORT, lastNotAbove) == place ? block | TIED : block;
    }

    /** Whether a block begins so close to the number that only whole prefixes, or a look into the block, can tell. */
    static boolean isTied(long block) {
        return block >= TIED;
    }

    static long untied(long block) {
        return block & ~TIED;
    }
}
