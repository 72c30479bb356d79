// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * The bytes of the store's files. Every offset and width in this package comes from here.
 *
 * <pre>
 * FORMAT version 2, little-endian. Every sum is CRC32C; NNNNNNNNNN is a number that no other file of the store ever had.
 *
 * NNNNNNNNNN.table    sorted entries, never changed; written as *.table.tmp and renamed
 *   block*            entry* | tag:u8 each | offset in the block:u16 each | entries:u16
 *     entry           keyLength * 2 + tombstone:varint | key | value up to the next entry or the tags
 *                     A block is at most 4096 bytes long, or it holds one entry. The tag is the low byte of the key's hash.
 *   filter            zeros up to a multiple of 64, then lines of 64 bytes: a blocked Bloom filter
 *   index             first bytes of the block's first key after the common prefix:u64 each | start of the block:u64 each
 *                     | sum of the block:u32 each
 *   range             first key | last key
 *   footer            entries:u64 | tombstones among them:u64 | blocks:u64 | end of the blocks:u64 | filter at:u64 | index at:u64
 *                     | range at:u64 | first key's length:u32 | last key's length:u32 | sum from the end of the blocks to the range:u32
 *                     | sum of the range:u32 | tail
 *
 * NNNNNNNNNN.log      the writes of one memtable
 *   head              number:u64 | tail
 *   record*           sum of what follows:u32 | length of the writes:u32 | 0, 1, 2, ...:u64 | write*     one record is one commit group
 *     write           keyLength:u32 | valueLength:i32 (-1: tombstone) | key | value
 *
 * MANIFEST            which tables are the store; replaced whole, as MANIFEST.tmp renamed
 *   table*            number:u64 | run:u64 | level:u32
 *   foot              first log not yet in tables:u64 | next number:u64 | tables:u64 | sum of the tables:u32 | zero:u32 | tail
 *
 * tail = version:u32 | sum of the bytes of the footer, head or foot before this sum:u32 | magic:u64
 * </pre>
 */
final class Format {
    static final int VERSION = 2;
    static final long TABLE_MAGIC = 0x454C42415442534CL; // "LSBTABLE" in the file
    static final long LOG_MAGIC = 0x474F4C5441424C53L; // "SLBATLOG"
    static final long MANIFEST_MAGIC = 0x54534546494E414DL; // "MANIFEST"
    static final int TAIL_BYTES = 16;

    static final int BLOCK_BYTES = 4096;
    static final int COUNT_BYTES = 2;
    static final int OFFSET_BYTES = 2;
    static final int TAG_BYTES = 1;
    static final int FOOTER_BYTES = 72 + TAIL_BYTES;

    static final int LOG_HEAD_BYTES = 8 + TAIL_BYTES;
    static final int RECORD_HEAD_BYTES = 16;
    static final int WRITE_HEAD_BYTES = 8;
    static final int TOMBSTONE_LENGTH = -1;

    static final int MANIFEST_TABLE_BYTES = 20;
    static final int MANIFEST_FOOT_BYTES = 32 + TAIL_BYTES;

    static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private Format() {}

    static int unsignedShort(MemorySegment bytes, long at) {
        return Short.toUnsignedInt(bytes.get(SHORT, at));
    }

    /** What an entry adds to a table, its share of index and filter apart. */
    static long entryBytes(long keyBytes, long valueBytes) {
        return varintBytes(keyBytes << 1) + keyBytes + valueBytes + TAG_BYTES + OFFSET_BYTES;
    }

    static int varintBytes(long number) {
        return number < 1 << 7 ? 1 : number < 1 << 14 ? 2 : 3;
    }

    /** Ends a footer, head or foot of {@code length} bytes at {@code at}. */
    static void putTail(MemorySegment bytes, long at, int length, long magic) {
        long tail = at + length - TAIL_BYTES;
        bytes.set(INT, tail, VERSION);
        bytes.set(INT, tail + 4, Checksum.of(bytes, at, length - TAIL_BYTES + 4));
        bytes.set(LONG, tail + 8, magic);
    }

    /** Checks the tail of a footer, head or foot of {@code length} bytes at {@code at}. */
    static void checkTail(String file, MemorySegment bytes, long at, int length, long magic) throws CorruptionException {
        if (at < 0 || at + length > bytes.byteSize()) {
            throw new CorruptionException(file, 0, "is %d bytes long, too short for its kind".formatted(bytes.byteSize()));
        }
        long tail = at + length - TAIL_BYTES;
        if (bytes.get(LONG, tail + 8) != magic) {
            throw new CorruptionException(file, tail + 8, "does not have the mark of its kind");
        }
        if (bytes.get(INT, tail + 4) != Checksum.of(bytes, at, length - TAIL_BYTES + 4)) {
            // Versions before 2 placed their sum in the same way, over other bytes, so that they are told by their number.
            int version = bytes.get(INT, tail);
            if (version != VERSION && version > 0 && version < 1 << 16) {
                throw unknownVersion(file, tail, version);
            }
            throw new CorruptionException(file, at, "is damaged: its sum does not fit");
        }
        if (bytes.get(INT, tail) != VERSION) {
            throw unknownVersion(file, tail, bytes.get(INT, tail));
        }
    }

    private static CorruptionException unknownVersion(String file, long at, int version) {
        return new CorruptionException(file, at, "has format version %d, this engine reads %d".formatted(version, VERSION));
    }
}
