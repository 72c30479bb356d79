// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage.table;

import java.io.Closeable;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.zip.CRC32C;
import lsmlab.storage.disk.Disk;
import lsmlab.storage.disk.ModelledDevice;
import lsmlab.storage.format.FileNames;
import lsmlab.storage.format.Format;
import lsmlab.storage.format.StoreIdentity;
import lsmlab.storage.keys.Cursor;
import lsmlab.storage.keys.Keys;

/**
 * Writes sorted entries as one table ({@link Format}), front to back through one buffer, large values in pieces. In memory it keeps
 * eight bytes an entry for the filter and twenty-four bytes a block for the index.
 */
final class TableWriter implements Closeable {
    private static final int BUFFER_BYTES = 256 << 10;
    private static final int PER_ENTRY_BYTES = Format.TAG_BYTES + Format.OFFSET_BYTES; // behind the entries
    private static final int PAGE_BYTES = 4096; // of most systems
    /** A block that ends this little before the end of a page gets zeros, so that the next one begins with a page. WHY: a get touches one block, and then one page of the file, not two. */
    private static final int MOST_PADDING_BYTES = PAGE_BYTES / 16;

    private final Disk.Output file;
    private final long number;
    private final StoreIdentity store;
    private final ModelledDevice device; // null: none
    private final byte[] buffer = new byte[BUFFER_BYTES];
    private final MemorySegment bytes = MemorySegment.ofArray(buffer);
    private final CRC32C sum = new CRC32C();
    private int filled;
    private int summed; // how much of the buffer is in the sum
    private long written;

    private long[] hashes = new long[1024];
    private int entries;
    private MemorySegment firstKey;
    private MemorySegment lastBytes; // where the last key is
    private long lastKeyAt;
    private int lastKeyLength;
    private long tombstones;

    private final byte[] tags = new byte[Format.BLOCK_BYTES];
    private final MemorySegment allTags = MemorySegment.ofArray(tags);
    private final short[] offsets = new short[Format.BLOCK_BYTES];
    private int blockEntries;
    private long blockStart;

    private int blocks;
    private long[] starts = new long[64];
    private int[] sums = new int[64];
    private long[] prefixes = new long[64]; // of each block's first key, after what it shares with the table's first key
    private int[] shared = new int[64]; // length of that

    /** Begins the table under its unfinished name. */
    TableWriter(Disk disk, long number, StoreIdentity store, ModelledDevice device, boolean lasting) throws IOException {
        this.number = number;
        this.store = store;
        this.device = device;
        String name = FileNames.unfinished(FileNames.table(number));
        disk.deleteIfExists(name); // of a try that failed
        file = lasting ? disk.createLasting(name) : disk.create(name);
    }

    /** Length so far, filter and index apart. */
    long bytes() {
        return written + filled;
    }

    int entries() {
        return entries;
    }

    /** REQUIRES: a key above the one before; the bytes under the cursor stay until {@link #finish}. */
    void add(Cursor entry) throws IOException {
        long head = (long) entry.keyLength << 1 | (entry.tombstone ? 1 : 0);
        long length = Format.varintBytes(head) + (long) entry.keyLength + entry.valueLength;
        if (blockEntries > 0 && endsBefore(length + PER_ENTRY_BYTES)) {
            endBlock();
        }
        if (blockEntries == 0) {
            beginBlock(entry);
        }
        long hash = Keys.hash(entry.bytes, entry.keyAt, entry.keyLength);
        tags[blockEntries] = (byte) hash;
        offsets[blockEntries++] = (short) (bytes() - blockStart);
        if (entries == hashes.length) {
            hashes = Arrays.copyOf(hashes, entries * 2);
        }
        hashes[entries++] = hash;
        putVarint(head);
        put(entry.bytes, entry.keyAt, entry.keyLength);
        put(entry.bytes, entry.valueAt, entry.valueLength);
        lastBytes = entry.bytes;
        lastKeyAt = entry.keyAt;
        lastKeyLength = entry.keyLength;
        tombstones += entry.tombstone ? 1 : 0;
    }

    /** Whether the block has no room for an entry, or leaves few bytes of a page, and less than the entry needs. */
    private boolean endsBefore(long entryBytes) {
        long end = blockEnd();
        int rest = restOfPage(end);
        return end + entryBytes - blockStart > Format.BLOCK_BYTES || rest <= MOST_PADDING_BYTES && rest < entryBytes;
    }

    /** Where the block ends if it ends with what it holds. */
    private long blockEnd() {
        return bytes() + (long) blockEntries * PER_ENTRY_BYTES + Format.COUNT_BYTES;
    }

    private static int restOfPage(long at) {
        return (int) (-at & PAGE_BYTES - 1);
    }

    private void beginBlock(Cursor entry) throws IOException {
        reserve(Format.BLOCK_BYTES + MOST_PADDING_BYTES); // so that its entries can be moved, unless it holds one that is larger
        if (firstKey == null) {
            firstKey = Keys.copy(entry.key());
        }
        if (blocks == starts.length) {
            starts = Arrays.copyOf(starts, blocks * 2);
            sums = Arrays.copyOf(sums, blocks * 2);
            prefixes = Arrays.copyOf(prefixes, blocks * 2);
            shared = Arrays.copyOf(shared, blocks * 2);
        }
        blockStart = bytes();
        starts[blocks] = blockStart;
        shared[blocks] = Keys.commonPrefix(firstKey, entry.key());
        prefixes[blocks] = Keys.prefix(entry.bytes, entry.keyAt + shared[blocks], entry.keyLength - shared[blocks]);
    }

    private void endBlock() throws IOException {
        fillPage();
        put(allTags, 0, blockEntries);
        for (int i = 0; i < blockEntries; i++) {
            putShort(offsets[i]);
        }
        putShort((short) blockEntries);
        sums[blocks++] = takeSum();
        blockEntries = 0;
    }

    /** Moves the block's entries behind the zeros. Only if they are all in the buffer still. */
    private void fillPage() {
        int at = (int) (blockStart - written);
        int length = filled - at;
        int padding = restOfPage(blockEnd());
        if (at < 0 || padding > MOST_PADDING_BYTES || filled + padding > BUFFER_BYTES) {
            return;
        }
        System.arraycopy(buffer, at, buffer, at + padding, length);
        Arrays.fill(buffer, at, at + padding, (byte) 0);
        for (int i = 0; i < blockEntries; i++) {
            offsets[i] += (short) padding;
        }
        filled += padding;
    }

    /** Writes what follows the blocks, and syncs; on return the bytes are durable, the name is not yet. REQUIRES: an entry. */
    void finish() throws IOException {
        endBlock();
        MemorySegment lastKey = lastBytes.asSlice(lastKeyAt, lastKeyLength);
        int commonPrefix = Keys.commonPrefix(firstKey, lastKey);

        long blocksEnd = bytes();
        while (bytes() % BloomFilter.LINE_BYTES != 0) {
            reserve(1);
            buffer[filled++] = 0;
        }
        long filterAt = bytes();
        MemorySegment filter = MemorySegment.ofArray(BloomFilter.of(hashes, entries));
        put(filter, 0, filter.byteSize());
        long indexAt = bytes();
        for (int block = 0; block < blocks; block++) {
            putLong(prefixAfter(commonPrefix, block));
        }
        for (int block = 0; block < blocks; block++) {
            putLong(starts[block]);
        }
        for (int block = 0; block < blocks; block++) {
            putInt(sums[block]);
        }
        int metadataSum = takeSum();
        long rangeAt = bytes();
        put(firstKey, 0, firstKey.byteSize());
        put(lastKey, 0, lastKey.byteSize());
        int rangeSum = takeSum();

        reserve(Format.ORIGIN_BYTES + Format.FOOTER_BYTES);
        int footer = filled;
        for (long part : new long[] {number, store.id(), store.generation(), entries, tombstones, blocks, blocksEnd, filterAt, indexAt, rangeAt}) {
            putLong(part);
        }
        for (int part : new int[] {(int) firstKey.byteSize(), (int) lastKey.byteSize(), metadataSum, rangeSum}) {
            putInt(part);
        }
        Format.putTail(bytes, footer, Format.ORIGIN_BYTES + Format.FOOTER_BYTES, Format.TABLE_MAGIC);
        filled = footer + Format.ORIGIN_BYTES + Format.FOOTER_BYTES;
        drain();
        file.sync();
    }

    /** The block's prefix after a shorter shared part: what it had in common with the first key comes from there. */
    private long prefixAfter(int commonPrefix, int block) {
        int gone = shared[block] - commonPrefix;
        if (gone == 0) {
            return prefixes[block];
        }
        long ofFirstKey = Keys.prefixAfter(firstKey, commonPrefix);
        if (gone >= Long.BYTES) {
            return ofFirstKey;
        }
        return ofFirstKey & -1L << (Long.BYTES - gone) * 8 | prefixes[block] >>> gone * 8;
    }

    private void putVarint(long number) throws IOException {
        reserve(Format.varintBytes(number));
        long rest = number;
        for (; rest > 0x7F; rest >>>= 7) {
            buffer[filled++] = (byte) (rest | 0x80);
        }
        buffer[filled++] = (byte) rest;
    }

    private void putShort(short number) throws IOException {
        reserve(Short.BYTES);
        bytes.set(Format.SHORT, filled, number);
        filled += Short.BYTES;
    }

    private void putInt(int number) throws IOException {
        reserve(Integer.BYTES);
        bytes.set(Format.INT, filled, number);
        filled += Integer.BYTES;
    }

    private void putLong(long number) throws IOException {
        reserve(Long.BYTES);
        bytes.set(Format.LONG, filled, number);
        filled += Long.BYTES;
    }

    private void put(MemorySegment from, long at, long length) throws IOException {
        for (long done = 0; done < length;) {
            reserve(1);
            long piece = Math.min(length - done, BUFFER_BYTES - filled);
            MemorySegment.copy(from, at + done, bytes, filled, piece);
            filled += (int) piece;
            done += piece;
        }
    }

    private void reserve(int length) throws IOException {
        if (filled + length > BUFFER_BYTES) {
            drain();
        }
    }

    private void drain() throws IOException {
        addToSum();
        file.write(buffer, 0, filled);
        if (device != null) {
            device.write(number, written, filled);
        }
        written += filled;
        filled = 0;
        summed = 0;
    }

    private void addToSum() {
        sum.update(buffer, summed, filled - summed);
        summed = filled;
    }

    /** The sum of all since it was taken last. */
    private int takeSum() {
        addToSum();
        int value = (int) sum.getValue();
        sum.reset();
        return value;
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
