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
 * that of the key's range. Where a line is not enough, the index on disk decides.
 *
 * <pre>
 * line = first:u31 block in this range or beyond | OVERFULL | places:u15 in the range where blocks begin, each in 16 bits * 30
 * </pre>
 */
final class BlockIndex {
    /** The answer of {@link #blockAt} where whole prefixes must be compared. */
    static final long UNSURE = -2;

    private static final int BLOCKS_OF_A_RANGE = 16; // on average
    private static final int LINE_BYTES = 64;
    private static final int FIRST_PLACE = 2; // of the 32 pieces of 16 bits
    private static final int PLACES = LINE_BYTES / Short.BYTES - FIRST_PLACE;
    private static final int PLACE_BITS = 15;
    private static final int HIGHEST_PLACE = (1 << PLACE_BITS) - 2; // a search also uses the place after it, which must fit into PLACE_BITS
    private static final byte NO_BLOCK = (byte) 0xFF; // in each byte of a place: it is above all
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
        lines.fill(NO_BLOCK);
        long range = -1;
        int first = 0;
        for (int block = 0; block < blocks; block++) {
            long number = digits.of(prefix(prefixes, block));
            long ofBlock = ranges.at(number);
            while (range < ofBlock) {
                first = block;
                setFirst(++range, first);
            }
            add(range, block - first, place(number));
        }
        while (range < ranges.count()) {
            setFirst(++range, blocks);
        }
    }

    private void setFirst(long range, int first) {
        lines.set(JAVA_INT, range * LINE_BYTES, first);
    }

    /** The place of the range's i-th block. */
    private void add(long range, int i, short place) {
        long line = range * LINE_BYTES;
        if (i < PLACES) {
            lines.set(Format.SHORT, line + (FIRST_PLACE + (long) i) * Short.BYTES, place);
        } else {
            lines.set(JAVA_INT, line, lines.get(JAVA_INT, line) | OVERFULL);
        }
    }

    private static long prefix(MemorySegment prefixes, long block) {
        return prefixes.get(Format.LONG, block * 8);
    }

    private short place(long number) {
        return (short) Math.min(ranges.within(number) >>> Long.SIZE - PLACE_BITS, HIGHEST_PLACE);
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

    /** Whether a block begins so close to the number that whole prefixes, or a look into the block, must decide. */
    static boolean isTied(long block) {
        return block >= TIED;
    }

    static long untied(long block) {
        return block & ~TIED;
    }
}
