// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage.table;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import lsmlab.storage.format.Format;
import lsmlab.storage.system.Freeable;
import lsmlab.storage.system.HugePages;

/**
 * From a key to the runs that may hold it, in memory only: a look-up reads one line of 64 bytes, sometimes two, however many runs there are, where Bloom filters take a line of each. The idea is
 * that of Chucky (Dayan, Twitto: SIGMOD 2021), whose map follows each flush and merge; this one never changes once it is made.
 *
 * <pre>
 * line = slots taken:5 bits | SPILLED | FULL, together 16 bits | slot:u16 * 31
 * slot = group of runs:4 bits | bits of the key's hash:12
 * </pre>
 */
public final class KeyMap implements Freeable {
    private static final int GROUP_BITS = 4;
    /** Groups have the numbers from 1 on. */
    public static final int MOST_GROUPS = (1 << GROUP_BITS) - 1;
    /** The answer of {@link #groups} when the line is full: any group may hold the key. */
    public static final int ANY_GROUP = -1;

    private static final int LINE_BYTES = 64;
    private static final int SLOTS = LINE_BYTES / Short.BYTES - 1;
    /** 21 bits a key. With two more keys a line, twice as many lines would spill. */
    private static final int KEYS_OF_A_LINE = 24;

    private static final int TAKEN = (1 << 5) - 1;
    private static final int SPILLED = 1 << 5; // some keys of this line are in its neighbour
    private static final int FULL = 1 << 6; // and some are in neither

    private static final int LOWEST_FINGERPRINT = 8; // higher than what the head of a line has in the same bits
    private static final int HASH_SHIFT = 8; // below are a block's tags, and a line is known by the highest bits
    private static final long EACH_SLOT = 0x0001_0001_0001_0001L;
    private static final long FINGERPRINTS = 0xFFF0 * EACH_SLOT;

    private final Arena arena = Arena.ofShared();
    private final MemorySegment lines;
    private final long pairs; // of lines, which are neighbours

    /** @param keys how many will be added, the same key of another group included */
    public KeyMap(long keys) {
        pairs = Math.ceilDiv(Math.max(1, keys), 2 * KEYS_OF_A_LINE);
        try {
            lines = HugePages.allocate(pairs * 2 * LINE_BYTES, arena);
        } catch (OutOfMemoryError e) {
            arena.close();
            throw e;
        }
    }

    /** REQUIRES: no reader yet. */
    public void add(long hash, int group) {
        long line = lineAt(hash);
        short slot = (short) (fingerprint(hash) | group);
        if (!isPut(line, slot)) {
            mark(line, SPILLED);
            if (!isPut(line ^ LINE_BYTES, slot)) {
                mark(line, FULL);
            }
        }
    }

    private boolean isPut(long line, short slot) {
        int head = lines.get(Format.SHORT, line);
        int taken = head & TAKEN;
        if (taken == SLOTS) {
            return false;
        }
        lines.set(Format.SHORT, line + (taken + 1L) * Short.BYTES, slot);
        lines.set(Format.SHORT, line, (short) (head + 1));
        return true;
    }

    private void mark(long line, int mark) {
        lines.set(Format.SHORT, line, (short) (lines.get(Format.SHORT, line) | mark));
    }

    private long lineAt(long hash) {
        long pair = Math.unsignedMultiplyHigh(hash, pairs);
        return 2 * LINE_BYTES * pair + (hash & LINE_BYTES);
    }

    private static int fingerprint(long hash) {
        int bits = (int) (hash >>> HASH_SHIFT) & 0xFFF;
        return (bits < LOWEST_FINGERPRINT ? bits + LOWEST_FINGERPRINT : bits) << GROUP_BITS;
    }

    /** Reads a part of the key's line. */
    public long touch(long hash) {
        return lines.get(JAVA_BYTE, lineAt(hash));
    }

    /** Groups that may hold a key, as bits; those whose bit is not set certainly do not. About one of 170 absent keys passes, where each key is in one run; copies of a key share a line, and fill it sooner. */
    public int groups(long hash) {
        long line = lineAt(hash);
        int head = lines.get(Format.SHORT, line);
        if ((head & FULL) != 0) {
            return ANY_GROUP;
        }
        int groups = groupsIn(line, hash);
        return (head & SPILLED) == 0 ? groups : groups | groupsIn(line ^ LINE_BYTES, hash);
    }

    /** Four slots at a time. */
    private int groupsIn(long line, long hash) {
        long wanted = fingerprint(hash) * EACH_SLOT;
        int groups = 0;
        for (int at = 0; at < LINE_BYTES; at += Long.BYTES) {
            long slots = lines.get(Format.LONG, line + at);
            long difference = (slots ^ wanted) & FINGERPRINTS; // no slot of it is 1, so no borrow makes a match of what is none
            for (long equal = difference - EACH_SLOT & ~difference & EACH_SLOT << 15; equal != 0; equal &= equal - 1) {
                groups |= 1 << (slots >>> Long.numberOfTrailingZeros(equal) - 15 & MOST_GROUPS);
            }
        }
        return groups;
    }

    public long bytes() {
        return lines.byteSize();
    }

    @Override
    public Arena arena() {
        return arena;
    }
}
