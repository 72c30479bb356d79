// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage.memtable;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import lsmlab.storage.format.Format;
import lsmlab.storage.system.HugePages;

/**
 * The memory of a memtable, outside the heap: the nodes of its skip list, in chunks.
 *
 * <pre>
 * node = sequence:u32 | keyLength:u24 | height:u8 | valueLength:i32 (-1: tombstone) | unused:u32
 *        | hint of the next node on level 0, 1, ... height-1:u64 each | next node on level 0, 1, ... height-1:u32 each | key | value
 * </pre>
 *
 * A node is known by its place in units of eight bytes; its chunk is in the upper bits. Place 0 is the head; as a next
 * pointer it means end of list. A next pointer is set last, with release, so a reader that follows one sees the whole node.
 */
final class Nodes {
    private static final int CHUNK_UNIT_BITS = 15;
    private static final int UNIT_BYTES = 8;
    private static final int CHUNK_BYTES = UNIT_BYTES << CHUNK_UNIT_BITS;
    private static final int LARGE_BYTES = CHUNK_BYTES / 8;

    private static final int SHAPE_AT = 4;
    private static final int HEIGHT_SHIFT = 24;
    private static final int VALUE_LENGTH_AT = 8;
    private static final int HINTS_AT = 16;
    private static final int LEVEL_BYTES = Long.BYTES + Integer.BYTES;
    static final long NO_HINT = -1; // the highest: no key comes after the end
    private static final VarHandle HINT = JAVA_LONG.varHandle();
    static final VarHandle NEXT = JAVA_INT.varHandle();

    final Arena arena = Arena.ofShared();
    private MemorySegment[] chunks = new MemorySegment[4];
    private int chunkCount;
    private int chunk; // that takes small nodes
    private int chunkFilled;
    private MemorySegment page = MemorySegment.NULL; // a huge one, whose parts become chunks
    private long pageFilled;
    private long[] pages = new long[4]; // GUARDED BY this, where they were mapped
    private int pageCount; // GUARDED BY this
    private volatile long allocatedBytes;

    /** An empty list: a head with this many levels, without a next node. */
    Nodes(int height) {
        addChunk(CHUNK_BYTES);
        int head = allocate(HINTS_AT + (long) height * LEVEL_BYTES);
        chunkOf(head).set(JAVA_INT, at(head) + SHAPE_AT, height << HEIGHT_SHIFT);
        for (int level = 0; level < height; level++) {
            setHint(head, level, NO_HINT);
        }
    }

    /** A node that no other leads to yet. A null value is a tombstone. */
    int add(int sequence, int height, MemorySegment key, MemorySegment value) {
        int keyLength = (int) key.byteSize();
        int valueLength = value == null ? Format.TOMBSTONE_LENGTH : (int) value.byteSize();
        long keyOffset = HINTS_AT + (long) height * LEVEL_BYTES;
        int node = allocate(keyOffset + keyLength + Math.max(valueLength, 0));
        MemorySegment bytes = chunkOf(node);
        long at = at(node);
        bytes.set(JAVA_INT, at, sequence);
        bytes.set(JAVA_INT, at + SHAPE_AT, keyLength | height << HEIGHT_SHIFT);
        bytes.set(JAVA_INT, at + VALUE_LENGTH_AT, valueLength);
        MemorySegment.copy(key, 0, bytes, at + keyOffset, keyLength);
        if (value != null) {
            MemorySegment.copy(value, 0, bytes, at + keyOffset + keyLength, valueLength);
        }
        return node;
    }

    private int allocate(long nodeBytes) {
        int units = Math.toIntExact((nodeBytes + UNIT_BYTES - 1) / UNIT_BYTES);
        if (nodeBytes > LARGE_BYTES) {
            return addChunk((long) units * UNIT_BYTES) << CHUNK_UNIT_BITS;
        }
        if (chunkFilled + units > 1 << CHUNK_UNIT_BITS) {
            chunk = addChunk(CHUNK_BYTES);
            chunkFilled = 0;
        }
        int node = chunk << CHUNK_UNIT_BITS | chunkFilled;
        chunkFilled += units;
        return node;
    }

    private int addChunk(long bytes) {
        if (chunkCount == chunks.length) {
            MemorySegment[] more = Arrays.copyOf(chunks, chunkCount * 2);
            VarHandle.storeStoreFence(); // a reader that sees the new array sees what is in it
            chunks = more;
        }
        chunks[chunkCount] = bytes == CHUNK_BYTES && allocatedBytes >= HugePages.PAGE_BYTES && HugePages.areThere() ? nextOfPage() : alone(bytes);
        return chunkCount++;
    }

    private MemorySegment alone(long bytes) {
        MemorySegment chunk = arena.allocate(bytes, UNIT_BYTES);
        allocatedBytes += bytes;
        return chunk;
    }

    /** A small memtable has none. */
    private MemorySegment nextOfPage() {
        if (pageFilled == page.byteSize()) {
            page = addPage();
            allocatedBytes += page.byteSize();
            pageFilled = 0;
        }
        MemorySegment chunk = page.asSlice(pageFilled, CHUNK_BYTES);
        pageFilled += CHUNK_BYTES;
        return chunk;
    }

    private synchronized MemorySegment addPage() {
        if (pageCount == pages.length) {
            pages = Arrays.copyOf(pages, pageCount * 2);
        }
        pages[pageCount] = HugePages.map();
        return HugePages.page(pages[pageCount++], arena);
    }

    /** Gives back the pages, once nothing can read them; may be called again. Allocates nothing. */
    synchronized void freePages() {
        while (pageCount > 0 && !arena.scope().isAlive()) {
            HugePages.free(pages[pageCount - 1]);
            pageCount--;
        }
    }

    MemorySegment chunkOf(int node) {
        return chunks[node >>> CHUNK_UNIT_BITS];
    }

    static long at(int node) {
        return (long) (node & ((1 << CHUNK_UNIT_BITS) - 1)) * UNIT_BYTES;
    }

    static int sequence(MemorySegment bytes, long at) {
        return bytes.get(JAVA_INT, at);
    }

    /** No reader sees a node of the highest sequence number. */
    void hideIfAfter(int node, int sequence) {
        MemorySegment bytes = chunkOf(node);
        long at = at(node);
        if (sequence(bytes, at) > sequence) {
            bytes.set(JAVA_INT, at, Integer.MAX_VALUE);
        }
    }

    static int valueLength(MemorySegment bytes, long at) {
        return bytes.get(JAVA_INT, at + VALUE_LENGTH_AT);
    }

    static int keyLength(MemorySegment bytes, long at) {
        return bytes.get(JAVA_INT, at + SHAPE_AT) & ((1 << HEIGHT_SHIFT) - 1);
    }

    private static int height(MemorySegment bytes, long at) {
        return bytes.get(JAVA_INT, at + SHAPE_AT) >>> HEIGHT_SHIFT;
    }

    static long keyAt(MemorySegment bytes, long at) {
        return at + HINTS_AT + (long) height(bytes, at) * LEVEL_BYTES;
    }

    private static long nextAt(MemorySegment bytes, long at, int level) {
        return at + HINTS_AT + (long) height(bytes, at) * Long.BYTES + (long) level * Integer.BYTES;
    }

    int next(int node, int level) {
        MemorySegment bytes = chunkOf(node);
        return (int) NEXT.getAcquire(bytes, nextAt(bytes, at(node), level));
    }

    void setNext(int node, int level, int next) {
        MemorySegment bytes = chunkOf(node);
        NEXT.setRelease(bytes, nextAt(bytes, at(node), level), next);
    }

    /** The hint of the next node on a level; the highest hint at the end of the list. */
    long hint(int node, int level) {
        return (long) HINT.getAcquire(chunkOf(node), at(node) + HINTS_AT + (long) level * Long.BYTES);
    }

    void setHint(int node, int level, long hint) {
        HINT.setRelease(chunkOf(node), at(node) + HINTS_AT + (long) level * Long.BYTES, hint);
    }

    MemorySegment key(int node) {
        MemorySegment bytes = chunkOf(node);
        return bytes.asSlice(keyAt(bytes, at(node)), keyLength(bytes, at(node)));
    }

    long allocatedBytes() {
        return allocatedBytes;
    }
}
