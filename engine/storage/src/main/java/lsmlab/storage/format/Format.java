// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage.format;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import lsmlab.storage.entries.CorruptionException;

/**
 * The bytes of the store's files. Every offset and width in this package comes from here.
 *
 * <pre>
 * FORMAT version 3, little-endian. Every sum is CRC32C; NNNNNNNNNN is a number that no other file of the store ever had. A store has an
 * identity, a random number that all its files hold; each manifest has a generation, one higher than that of the manifest before.
 *
 * NNNNNNNNNN.table    sorted entries, never changed; *.table.tmp until a manifest names it
 *   block*            up to 256 zeros | entry* | tag:u8 each | offset in the block:u16 each | entries:u16
 *     entry           keyLength * 2 + tombstone:varint | key | value up to the next entry or the tags
 *                     A block is at most 4096 bytes long, zeros apart, or it holds one entry. Where there are zeros, the block ends
 *                     with a page: at a multiple of 4096. The tag is the low byte of the key's hash.
 *   filter            zeros up to a multiple of 64, then lines of 64 bytes: a blocked Bloom filter
 *   index             first bytes of the block's first key after the common prefix:u64 each | start of the block:u64 each
 *                     | sum of the block:u32 each
 *   range             first key | last key
 *   footer            number:u64 | store:u64 | generation when it was written:u64
 *                     | entries:u64 | tombstones among them:u64 | blocks:u64 | end of the blocks:u64 | filter at:u64 | index at:u64
 *                     | range at:u64 | first key's length:u32 | last key's length:u32 | sum from the end of the blocks to the range:u32
 *                     | sum of the range:u32 | tail
 *
 * NNNNNNNNNN.log      the writes of one memtable
 *   head              magic:u64 | version:u32 | sum of version and all that follows in the head:u32 | number:u64 | store:u64
 *                     | generation when it was begun:u64 | salt:u64 | the log before: number:u64, length of its records:u64, records:u64
 *   record*           sum of what follows, with the salt and the place of the record:u32 | length of the writes:u32 | 0, 1, 2, ...:u64
 *                     | write*     one record is one commit group
 *     write           keyLength:u32 | valueLength:i32 (-1: tombstone) | key | value
 *   end               a record numbered -2, of the next log's number:u64; not there while no other log follows
 *
 * MANIFEST            which tables are the store; replaced whole, as MANIFEST.tmp renamed
 *   table*            number:u64 | run:u64 | level:u32
 *   foot              store:u64 | generation:u64 | newest log that was begun:u64
 *                     | first log not yet in tables:u64 | next number:u64 | tables:u64 | sum of the tables:u32 | zero:u32 | tail
 *
 * tail = version:u32 | sum of the bytes of the footer or foot before this sum:u32 | magic:u64
 * </pre>
 *
 * <p>Version 2, which is read and no longer written: footer and foot without their first line, the head of a log is {@code number:u64 | tail},
 * sums of records know no salt, there is no end, and a table had its name before a manifest named it.
 */
public final class Format {
    public static final int VERSION = 3;
    public static final int OLDEST_VERSION = 2;
    public static final long TABLE_MAGIC = 0x454C42415442534CL; // "LSBTABLE" in the file
    public static final long LOG_MAGIC = 0x474F4C5441424C53L; // "SLBATLOG"
    public static final long MANIFEST_MAGIC = 0x54534546494E414DL; // "MANIFEST"
    public static final int TAIL_BYTES = 16;

    public static final int BLOCK_BYTES = 4096;
    public static final int COUNT_BYTES = 2;
    public static final int OFFSET_BYTES = 2;
    public static final int TAG_BYTES = 1;
    public static final int FOOTER_BYTES = 72 + TAIL_BYTES; // from the number of entries on
    public static final int ORIGIN_BYTES = 24; // number, store and generation stand before it

    public static final int LOG_HEAD_BYTES = 72;
    public static final int LOG_HEAD_BYTES_2 = 8 + TAIL_BYTES;
    public static final int RECORD_HEAD_BYTES = 16;
    public static final int WRITE_HEAD_BYTES = 8;
    public static final int TOMBSTONE_LENGTH = -1;
    public static final long END_SEQUENCE = -2;
    public static final int END_BYTES = RECORD_HEAD_BYTES + 8;

    public static final int MANIFEST_TABLE_BYTES = 20;
    public static final int MANIFEST_FOOT_BYTES = 32 + TAIL_BYTES; // from the first log on
    public static final int MANIFEST_ORIGIN_BYTES = 24; // store, generation and newest log stand before it
    /** Numbers that may be given out before the next manifest is written: a file with a higher one is not the store's. */
    public static final long NUMBERS_AHEAD = 1 << 20;

    public static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    public static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    public static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private Format() {}

    public static int unsignedShort(MemorySegment bytes, long at) {
        return Short.toUnsignedInt(bytes.get(SHORT, at));
    }

    /** What an entry adds to a table, its share of index and filter apart. */
    public static long entryBytes(long keyBytes, long valueBytes) {
        return varintBytes(keyBytes << 1) + keyBytes + valueBytes + TAG_BYTES + OFFSET_BYTES;
    }

    public static int varintBytes(long number) {
        return number < 1 << 7 ? 1 : number < 1 << 14 ? 2 : 3;
    }

    /** Ends a footer or foot of {@code length} bytes at {@code at}. */
    public static void putTail(MemorySegment bytes, long at, int length, long magic) {
        long tail = at + length - TAIL_BYTES;
        bytes.set(INT, tail, VERSION);
        bytes.set(INT, tail + 4, Checksum.of(bytes, at, length - TAIL_BYTES + 4));
        bytes.set(LONG, tail + 8, magic);
    }

    /**
     * Checks the tail of a footer or foot that ends the bytes; returns the version. In version 2 it had {@code length} bytes, since version 3 it
     * has {@code originBytes} more.
     */
    public static int checkTail(String file, MemorySegment bytes, int length, int originBytes, long magic) throws CorruptionException {
        long end = bytes.byteSize();
        long tail = end - TAIL_BYTES;
        if (end < length) {
            throw tooShort(file, bytes);
        }
        if (bytes.get(LONG, tail + 8) != magic) {
            throw new CorruptionException(file, tail + 8, "does not have the mark of its kind");
        }
        int version = bytes.get(INT, tail);
        long at = end - length - (version == OLDEST_VERSION ? 0 : originBytes);
        if (at < 0) {
            throw tooShort(file, bytes);
        }
        checkSum(file, tail, version, bytes.get(INT, tail + 4) == Checksum.of(bytes, at, tail + 4 - at));
        return version;
    }

    public static CorruptionException tooShort(String file, MemorySegment bytes) {
        return new CorruptionException(file, 0, "is %d bytes long, too short for its kind".formatted(bytes.byteSize()));
    }

    /** Other versions may have their sum over other bytes, so the number is checked first. */
    public static void checkSum(String file, long at, int version, boolean fits) throws CorruptionException {
        boolean known = version >= OLDEST_VERSION && version <= VERSION;
        if (!known && (fits || version > 0 && version < 1 << 16)) {
            throw new CorruptionException(file, at, "has format version %d, this engine reads %d and %d".formatted(version, OLDEST_VERSION, VERSION));
        }
        if (!fits) {
            throw new CorruptionException(file, at, "is damaged: its sum does not fit");
        }
    }

    /** The sum of a log's head. */
    public static int headSum(MemorySegment log) {
        byte[] summed = new byte[LOG_HEAD_BYTES - 12];
        MemorySegment.copy(log, ValueLayout.JAVA_BYTE, 8, summed, 0, 4);
        MemorySegment.copy(log, ValueLayout.JAVA_BYTE, 16, summed, 4, summed.length - 4);
        return Checksum.of(MemorySegment.ofArray(summed), 0, summed.length);
    }

    /** What the sum of a record is changed by: so that bytes of a value that look like a record are none, wherever they come from. */
    public static int recordMark(long salt, long at) {
        long mixed = (salt ^ at) * 0x9E3779B97F4A7C15L;
        return (int) (mixed >>> 32);
    }
}
