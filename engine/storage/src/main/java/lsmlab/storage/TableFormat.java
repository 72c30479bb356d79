// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * The bytes of a table file. Every offset and width in this package comes from here.
 *
 * <pre>
 * FORMAT version 1, little-endian
 * +---------+---------+-----+-----------+
 * | entry 0 | entry 1 | ... | entry n-1 |   keys strictly ascending
 * +---------+---------+-----+-----------+
 * | offset of entry 0 | ...   | n-1     |   u64 each
 * +-------------------+-------+---------+
 * | footer                              |
 * +-------------------------------------+
 * entry  = keyLength:u32 | valueLength:i32 (-1: tombstone) | key | value
 * footer = count:u64 | offsetsAt:u64 | version:u32 | crc32c of the 20 bytes before:u32 | magic:u64
 * </pre>
 */
final class TableFormat {
    static final int VERSION = 1;
    static final long MAGIC = 0x454C42415442534CL; // "LSBTABLE" in the file
    static final int OFFSET_BYTES = 8;
    static final int FOOTER_BYTES = 32;
    static final int TOMBSTONE_LENGTH = -1;
    static final int ENTRY_HEADER_BYTES = 8;

    private static final int FOOTER_SUMMED_BYTES = 20;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private TableFormat() {}

    static long entryBytes(long keyBytes, long valueBytes) {
        return ENTRY_HEADER_BYTES + keyBytes + valueBytes;
    }

    static int keyLength(MemorySegment file, long entry) {
        return file.get(INT, entry);
    }

    /** Length of the value, or {@link #TOMBSTONE_LENGTH}. */
    static int valueLength(MemorySegment file, long entry) {
        return file.get(INT, entry + 4);
    }

    static long keyAt(long entry) {
        return entry + ENTRY_HEADER_BYTES;
    }

    static void putEntryHeader(MemorySegment buffer, long at, int keyLength, int valueLength) {
        buffer.set(INT, at, keyLength);
        buffer.set(INT, at + 4, valueLength);
    }

    static long offset(MemorySegment file, long offsetsAt, long index) {
        return file.get(LONG, offsetsAt + index * OFFSET_BYTES);
    }

    static void putOffset(MemorySegment buffer, long at, long offset) {
        buffer.set(LONG, at, offset);
    }

    record Footer(long count, long offsetsAt) {
        /** A footer's FOOTER_BYTES bytes. */
        MemorySegment bytes() {
            MemorySegment footer = MemorySegment.ofArray(new byte[FOOTER_BYTES]);
            footer.set(LONG, 0, count);
            footer.set(LONG, 8, offsetsAt);
            footer.set(INT, 16, VERSION);
            footer.set(INT, 20, crc32c(footer.asSlice(0, FOOTER_SUMMED_BYTES)));
            footer.set(LONG, 24, MAGIC);
            return footer;
        }

        /** Reads and checks the footer of a whole file; the message of the exception says what does not fit. */
        static Footer of(MemorySegment file) throws InvalidFormat {
            if (file.byteSize() < FOOTER_BYTES) {
                throw new InvalidFormat(0, "is %d bytes long, shorter than a footer".formatted(file.byteSize()));
            }
            long at = file.byteSize() - FOOTER_BYTES;
            if (file.get(LONG, at + 24) != MAGIC) {
                throw new InvalidFormat(at + 24, "does not end as a table");
            }
            if (file.get(INT, at + 20) != crc32c(file.asSlice(at, FOOTER_SUMMED_BYTES))) {
                throw new InvalidFormat(at + 20, "has a footer whose CRC32C does not fit");
            }
            if (file.get(INT, at + 16) != VERSION) {
                throw new InvalidFormat(at + 16, "has format version %d, this engine reads %d".formatted(file.get(INT, at + 16), VERSION));
            }
            Footer footer = new Footer(file.get(LONG, at), file.get(LONG, at + 8));
            if (footer.count < 1 || footer.offsetsAt < 0 || footer.offsetsAt + footer.count * OFFSET_BYTES != at) {
                throw new InvalidFormat(at, "has a footer that does not fit its length");
            }
            return footer;
        }

        private static int crc32c(MemorySegment bytes) {
            CRC32C crc = new CRC32C();
            crc.update(bytes.asByteBuffer());
            return (int) crc.getValue();
        }
    }

    /** Bytes that are not of this format; the table that owns them adds the file's name. */
    static final class InvalidFormat extends Exception {
        final long offset;

        InvalidFormat(long offset, String message) {
            super(message);
            this.offset = offset;
        }
    }
}
