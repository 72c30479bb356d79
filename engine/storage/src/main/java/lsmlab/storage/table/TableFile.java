// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage.table;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import lsmlab.storage.disk.Disk;
import lsmlab.storage.disk.Faults;
import lsmlab.storage.disk.ModelledDevice;
import lsmlab.storage.entries.CorruptionException;
import lsmlab.storage.format.Checksum;
import lsmlab.storage.format.FileNames;
import lsmlab.storage.format.Format;
import lsmlab.storage.keys.Digits;
import lsmlab.storage.system.ReadAhead;

/**
 * A table's mapped bytes ({@link Format}): finds its parts and checks their sums. Footer and range are checked when the table is opened,
 * filter and index when they are first used, each block when it is first read.
 *
 * <p>Damage throws an {@link UncheckedIOException} whose cause names file and offset. Once its arena is closed, a read throws
 * {@link IllegalStateException} rather than touching memory that is gone.
 */
public final class TableFile {
    private static final long LONG_BLOCK_BYTES = 64 << 10;
    private static final int CACHE_LINE_BYTES = 64;
    private static final long EACH_BYTE = 0x0101010101010101L;
    private static final VarHandle WORDS = MethodHandles.arrayElementVarHandle(long[].class);

    final MemorySegment bytes;
    final long blocks;
    /** The number of entries, tombstones included. */
    final long entries;
    final long tombstones;
    final MemorySegment firstKey;
    final MemorySegment lastKey;
    private final MemorySegment filter;

    private final long number;
    private final String path;
    private final ModelledDevice device; // null: none
    final Arena arena = Arena.ofShared();
    private final long blocksEnd;
    private final long filterAt;
    private final long indexAt;
    private final long startsAt;
    private final long sumsAt;
    private final long rangeAt;
    private final int metadataSum;
    private BlockIndex index; // null with a modelled device, which reads an index in pages like all else
    private long evenBytes; // the length that all blocks but the last have; 0: their lengths differ
    private volatile long[] checkedBlocks; // a bit each; null until filter and index are checked

    /**
     * @param name of the file now; messages name it as it will be called
     * @param store that it has to belong to
     */
    TableFile(Disk disk, long number, String name, long store, ModelledDevice device) throws IOException {
        this.number = number;
        this.device = device;
        path = disk.path(FileNames.table(number));
        try {
            bytes = disk.map(name, arena);
            int originBytes = Origin.check(path, bytes, number, store).isKnown() ? Format.ORIGIN_BYTES : 0;
            long footer = bytes.byteSize() - Format.FOOTER_BYTES;
            entries = bytes.get(Format.LONG, footer);
            tombstones = bytes.get(Format.LONG, footer + 8);
            blocks = bytes.get(Format.LONG, footer + 16);
            blocksEnd = bytes.get(Format.LONG, footer + 24);
            filterAt = bytes.get(Format.LONG, footer + 32);
            indexAt = bytes.get(Format.LONG, footer + 40);
            startsAt = indexAt + blocks * 8;
            sumsAt = startsAt + blocks * 8;
            rangeAt = bytes.get(Format.LONG, footer + 48);
            int firstKeyLength = bytes.get(Format.INT, footer + 56);
            int lastKeyLength = bytes.get(Format.INT, footer + 60);
            metadataSum = bytes.get(Format.INT, footer + 64);
            if (rangeAt + firstKeyLength + lastKeyLength != footer - originBytes || sumsAt + blocks * 4 != rangeAt) {
                throw new CorruptionException(path, footer, "does not have the length that its footer states");
            }
            if (Checksum.of(bytes, rangeAt, footer - originBytes - rangeAt) != bytes.get(Format.INT, footer + 68)) {
                throw new CorruptionException(path, rangeAt, "is damaged: the sum of its range does not fit");
            }
            firstKey = bytes.asSlice(rangeAt, firstKeyLength);
            lastKey = bytes.asSlice(rangeAt + firstKeyLength, lastKeyLength);
            filter = bytes.asSlice(filterAt, indexAt - filterAt);
            ReadAhead.none(bytes, blocksEnd); // a get needs one block; filter and index are read as a whole
        } catch (InternalError e) {
            arena.close();
            throw Faults.reading(path, e);
        } catch (IOException | RuntimeException | Error e) {
            arena.close();
            throw e;
        }
    }

    /** Throws if the file is not a table of a version that is known. */
    public static void checkVersion(Disk disk, String name) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            Format.checkTail(disk.path(name), disk.map(name, arena), Format.FOOTER_BYTES, Format.ORIGIN_BYTES, Format.TABLE_MAGIC);
        } catch (InternalError e) {
            throw Faults.reading(disk.path(name), e);
        }
    }

    /**
     * What a table says of itself.
     *
     * @param generation of the manifest when it was written; -1 where a table of version 2 says nothing
     */
    public record Origin(long generation) {
        boolean isKnown() {
            return generation >= 0;
        }

        private static Origin check(String path, MemorySegment bytes, long number, long store) throws CorruptionException {
            int version = Format.checkTail(path, bytes, Format.FOOTER_BYTES, Format.ORIGIN_BYTES, Format.TABLE_MAGIC);
            if (version == Format.OLDEST_VERSION) {
                return new Origin(-1);
            }
            long at = bytes.byteSize() - Format.FOOTER_BYTES - Format.ORIGIN_BYTES;
            if (bytes.get(Format.LONG, at) != number) {
                throw new CorruptionException(path, at, "is the table of number " + bytes.get(Format.LONG, at));
            }
            if (bytes.get(Format.LONG, at + 8) != store) {
                throw new CorruptionException(path, at + 8, "is a table of another store");
            }
            return new Origin(bytes.get(Format.LONG, at + 16));
        }

        public static Origin of(Disk disk, long number, long store) throws IOException {
            String name = FileNames.table(number);
            try (Arena arena = Arena.ofConfined()) {
                return check(disk.path(name), disk.map(name, arena), number, store);
            } catch (InternalError e) {
                throw Faults.reading(disk.path(name), e);
            }
        }
    }

    /** REQUIRES: {@link #checkMetadata}. */
    boolean filterMayHold(long hash) {
        long line = BloomFilter.lineAt(hash, filter.byteSize());
        charge(filterAt + line, BloomFilter.LINE_BYTES);
        return BloomFilter.mayHold(filter, line, hash);
    }

    /** Null until it is checked. */
    MemorySegment filter() {
        return checkedBlocks == null ? null : filter;
    }

    /** Reads parts of what stands at a block's end: the number of its entries, and of some twenty their tags. Checked or not. REQUIRES: {@link #checkMetadata}. */
    long touchTags(long block) {
        long at = blockEnd(block) - Format.COUNT_BYTES;
        return bytes.get(JAVA_BYTE, at) + bytes.get(JAVA_BYTE, Math.max(0, at - CACHE_LINE_BYTES));
    }

    /** Reads a part of the block's entry that has the tag of a hash, if one does. REQUIRES: {@link #checkMetadata}. */
    long touchEntry(long block, long hash) {
        long start = check(block);
        int count = entriesOf(block);
        long tags = tagsAt(blockEnd(block), count);
        int index = findTag(tags, 0, count, hash);
        return index == count ? 0 : head(start + offset(tags, count, index));
    }

    /** The leading bytes of a block's first key, after the prefix that all keys of the table share. REQUIRES: {@link #checkMetadata}. */
    long blockPrefix(long block) {
        charge(indexAt + block * 8, 8);
        return bytes.get(Format.LONG, indexAt + block * 8);
    }

    /** The number of a prefix, for {@link #blockAt}, {@link #from} and {@link #to}. REQUIRES: {@link #checkMetadata}. */
    long number(long prefix) {
        return index == null ? Digits.NONE : index.number(prefix);
    }

    /** As {@link BlockIndex#blockAt}; {@link BlockIndex#UNSURE} without an index or a number. */
    long blockAt(long number) {
        return number == Digits.NONE ? BlockIndex.UNSURE : index.blockAt(number);
    }

    /** Blocks before it have lower prefixes than any in the number's range. */
    long from(long number) {
        return number == Digits.NONE ? 0 : index.from(number);
    }

    /** Blocks from it on have higher prefixes than any in the number's range. */
    long to(long number) {
        return number == Digits.NONE ? blocks : index.to(number);
    }

    /** Number of the first of some blocks whose prefix is not below (above: is above) the given one. REQUIRES: {@link #checkMetadata}. */
    long firstBlock(long from, long to, long prefix, boolean above) {
        long low = from;
        long high = to;
        while (low < high) {
            long middle = (low + high) >>> 1;
            int order = Long.compareUnsigned(blockPrefix(middle), prefix);
            if (order < 0 || above && order == 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** REQUIRES: {@link #checkMetadata}. */
    long blockStart(long block) {
        return evenBytes != 0 ? block * evenBytes : bytes.get(Format.LONG, startsAt + block * 8);
    }

    long blockEnd(long block) {
        return block + 1 == blocks ? blocksEnd : blockStart(block + 1);
    }

    /** Whether to ask for the block costs little beside reading it from memory. */
    boolean isLong(long block) {
        return blockEnd(block) - blockStart(block) >= LONG_BLOCK_BYTES;
    }

    /** Begins to read a block. */
    void readAhead(long block) {
        readBytesAhead(blockStart(block), blockEnd(block));
    }

    /** Begins to read the blocks in these bytes. */
    void readBytesAhead(long from, long to) {
        ReadAhead.begin(bytes, from, Math.min(to, blocksEnd));
    }

    /** Makes sure that the block is what was written; returns its start. REQUIRES: {@link #checkMetadata}. */
    long check(long block) {
        long start = blockStart(block);
        long length = blockEnd(block) - start;
        charge(start, length);
        long[] words = checkedBlocks;
        int word = (int) (block >>> 6);
        if (((long) WORDS.getOpaque(words, word) & 1L << block) == 0) {
            if (Checksum.of(bytes, start, length) != bytes.get(Format.INT, sumsAt + block * 4)) {
                throw damaged(start, "is damaged: the sum of a block does not fit");
            }
            WORDS.getAndBitwiseOr(words, word, 1L << block);
        }
        return start;
    }

    /** Makes sure, once, that filter and index are what was written. */
    void checkMetadata() {
        if (checkedBlocks == null) {
            synchronized (arena) {
                if (checkedBlocks == null) {
                    charge(blocksEnd, rangeAt - blocksEnd);
                    if (Checksum.of(bytes, blocksEnd, rangeAt - blocksEnd) != metadataSum) {
                        throw damaged(blocksEnd, "is damaged: the sum of its filter and index does not fit");
                    }
                    long[] words = new long[(int) ((blocks + 63) >>> 6)]; // first: memory may run out
                    index = device == null ? new BlockIndex(arena, bytes.asSlice(indexAt, blocks * 8), Math.toIntExact(blocks)) : null;
                    evenBytes = device == null ? evenBytes() : 0;
                    checkedBlocks = words;
                }
            }
        }
    }

    /** WHY: a get then computes where a block begins and saves a cache miss. Blocks of short entries are all one page long. */
    private long evenBytes() {
        long length = blocks == 1 ? blocksEnd : bytes.get(Format.LONG, startsAt + 8);
        for (long block = 0; block < blocks; block++) {
            if (bytes.get(Format.LONG, startsAt + block * 8) != block * length) {
                return 0;
            }
        }
        return length;
    }

    private UncheckedIOException damaged(long at, String what) {
        CorruptionException damage = new CorruptionException(path, at, what);
        return new UncheckedIOException(damage.getMessage(), damage);
    }

    private void charge(long at, long length) {
        if (device != null) {
            device.read(number, at, length);
        }
    }

    int entriesOf(long block) {
        return Format.unsignedShort(bytes, blockEnd(block) - Format.COUNT_BYTES);
    }

    /** Where a block's tags begin and its entries end. */
    static long tagsAt(long blockEnd, int count) {
        return blockEnd - Format.COUNT_BYTES - (long) count * (Format.OFFSET_BYTES + Format.TAG_BYTES);
    }

    /** Index of the first entry from {@code index} on with the tag of this hash, {@code count} if there is none; eight tags at a time. */
    int findTag(long tagsAt, int index, int count, long hash) {
        long wanted = (hash & 0xFF) * EACH_BYTE;
        for (int at = index; at < count; at += Long.BYTES) {
            // What is read beyond the tags is offsets, or the end of the file's blocks: a match there is not below count.
            long difference = bytes.get(Format.LONG, tagsAt + at) ^ wanted;
            long zeros = difference - EACH_BYTE & ~difference & EACH_BYTE << 7; // the lowest bit set is that of the first zero byte
            if (zeros != 0) {
                return Math.min(count, at + (Long.numberOfTrailingZeros(zeros) >>> 3));
            }
        }
        return count;
    }

    int offset(long tagsAt, int count, int index) {
        return Format.unsignedShort(bytes, tagsAt + count + (long) index * Format.OFFSET_BYTES);
    }

    long entryAt(long block, int index) {
        int count = entriesOf(block);
        return blockStart(block) + offset(tagsAt(blockEnd(block), count), count, index);
    }

    long entryEnd(long block, int index) {
        int count = entriesOf(block);
        return index + 1 == count ? tagsAt(blockEnd(block), count) : entryAt(block, index + 1);
    }

    /** The entry's first field: keyLength * 2 + tombstone. */
    long head(long entry) {
        byte low = bytes.get(JAVA_BYTE, entry);
        return low >= 0 ? low : longHead(entry);
    }

    private long longHead(long entry) {
        long head = 0;
        int shift = 0;
        byte part;
        do {
            part = bytes.get(JAVA_BYTE, entry++);
            head |= (part & 0x7FL) << shift;
            shift += 7;
        } while (part < 0);
        return head;
    }
}
