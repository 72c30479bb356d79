// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * The newest entries: a skip list outside the heap, one writer at a time, any number of readers without a lock.
 *
 * <p>A key that is written again gets another node before its older ones, and readers pass over nodes that came after the sequence
 * number they began with: so each sees one moment. After it is frozen nothing changes it.
 *
 * <pre>
 * node = sequence:u32 | keyLength:u24 | height:u8 | valueLength:i32 (-1: tombstone) | zero:u32
 *        | hint of the next node on level 0, 1, ... height-1:u64 each | next node on level 0, 1, ... height-1:u32 each | key | value
 * </pre>
 *
 * A node is known by its place in units of eight bytes; its chunk is in the upper bits. Place 0 is the head, and as a successor: none.
 * A reader meets a node only through a next field, which is set last, with release; so it sees all of the node.
 *
 * <p>WHY hints: what a search costs is cache misses, one for each node it looks at. A hint is a number in the order of the keys; it
 * stands beside the way to the next node, so that most nodes that are not passed are not looked at. It is made of the eight bytes after
 * a stem that most keys are expected to share.
 */
final class Memtable {
    private static final int CHUNK_UNIT_BITS = 15;
    private static final int UNIT_BYTES = 8;
    private static final int CHUNK_BYTES = UNIT_BYTES << CHUNK_UNIT_BITS;
    private static final int LARGE_BYTES = CHUNK_BYTES / 8;
    private static final int MAX_HEIGHT = 20;

    private static final int SHAPE_AT = 4;
    private static final int HEIGHT_SHIFT = 24;
    private static final int VALUE_LENGTH_AT = 8;
    private static final int HINTS_AT = 16;
    private static final int LEVEL_BYTES = Long.BYTES + Integer.BYTES;
    private static final long NO_HINT = -1; // the highest: no key comes after the end
    private static final VarHandle HINT = JAVA_LONG.varHandle();
    private static final VarHandle NEXT = JAVA_INT.varHandle();

    /** That of its log and of the table it becomes. */
    final long number;

    private final MemorySegment stem;
    private final Arena arena = Arena.ofShared();
    private MemorySegment[] chunks = new MemorySegment[4];
    private int chunkCount;
    private int chunk; // that takes small nodes
    private int chunkFilled;

    private final int[] path = new int[MAX_HEIGHT]; // of the last search: on each level the last node before the key
    private int last; // the node written last
    private int lastHeight;
    private int height = 1;
    private long random = 0x2545F4914F6CDD1DL;
    private int count; // nodes, sequence of the last
    private volatile int sequence;
    private volatile long tableBytes;

    /** @param stem what most keys are expected to begin with; any other keys cost time only */
    Memtable(long number, MemorySegment stem) {
        this.number = number;
        this.stem = stem;
        addChunk(CHUNK_BYTES);
        int head = allocate(HINTS_AT + MAX_HEIGHT * LEVEL_BYTES);
        chunkOf(head).set(JAVA_INT, at(head) + SHAPE_AT, MAX_HEIGHT << HEIGHT_SHIFT);
        for (int level = 0; level < MAX_HEIGHT; level++) {
            setHint(head, level, NO_HINT);
        }
    }

    Keys.Span span() {
        int first = next(0, 0);
        if (first == 0) {
            return new Keys.Span(null, null);
        }
        int end = 0;
        for (int level = MAX_HEIGHT - 1; level >= 0; level--) {
            for (int next = next(end, level); next != 0; next = next(end, level)) {
                end = next;
            }
        }
        return new Keys.Span(key(first), key(end));
    }

    private MemorySegment key(int node) {
        MemorySegment bytes = chunkOf(node);
        return bytes.asSlice(keyAt(bytes, at(node)), keyLength(bytes, at(node)));
    }

    /** Never falls as keys rise; different for most keys that begin with the stem. */
    private long hint(MemorySegment key) {
        long length = key.byteSize();
        long stemLength = stem.byteSize();
        int order = Keys.compare(key, 0, Math.min(length, stemLength), stem, 0, stemLength);
        return order == 0 ? Keys.prefix(key, stemLength, length - stemLength) : order < 0 ? 0 : NO_HINT;
    }

    /** A null value is a tombstone. Not visible before the next {@link #publish}. */
    void put(MemorySegment key, MemorySegment value) {
        int keyLength = (int) key.byteSize();
        int valueLength = value == null ? Format.TOMBSTONE_LENGTH : (int) value.byteSize();
        long hint = hint(key);
        if (!followsLast(key)) {
            search(key, hint, path);
        }
        int nodeHeight = randomHeight();
        long keyOffset = HINTS_AT + (long) nodeHeight * LEVEL_BYTES;
        int node = allocate(keyOffset + keyLength + Math.max(valueLength, 0));
        MemorySegment bytes = chunkOf(node);
        long at = at(node);
        bytes.set(JAVA_INT, at, ++count);
        bytes.set(JAVA_INT, at + SHAPE_AT, keyLength | nodeHeight << HEIGHT_SHIFT);
        bytes.set(JAVA_INT, at + VALUE_LENGTH_AT, valueLength);
        MemorySegment.copy(key, 0, bytes, at + keyOffset, keyLength);
        if (value != null) {
            MemorySegment.copy(value, 0, bytes, at + keyOffset + keyLength, valueLength);
        }
        for (int level = 0; level < nodeHeight; level++) {
            link(node, level, hint);
        }
        height = Math.max(height, nodeHeight);
        last = node;
        lastHeight = nodeHeight;
        tableBytes += Format.entryBytes(keyLength, Math.max(valueLength, 0));
    }

    /**
     * Puts a node between two others. WHY in this order: a reader takes the hint first, so it may have an older hint than node, never a
     * newer one; the older hint is that of a node further on. If that is to be passed, so is the new one; if not, the reader goes down.
     */
    private void link(int node, int level, long hint) {
        int before = path[level];
        setNext(node, level, next(before, level));
        setHint(node, level, hint(before, level));
        setNext(before, level, node);
        setHint(before, level, hint);
    }

    /** Makes all that was put visible, at once. */
    void publish() {
        sequence = count;
    }

    /** In ascending writing the path of the last search leads to the end of the list, and needs no new search. */
    private boolean followsLast(MemorySegment key) {
        if (last == 0 || next(last, 0) != 0 || compare(last, key) >= 0) {
            return false;
        }
        Arrays.fill(path, 0, lastHeight, last);
        return true;
    }

    /** The newest node of the key, or the first after it; 0 if there is none. */
    private int ceiling(MemorySegment key) {
        int node = next(search(key, hint(key), null), 0);
        while (node != 0 && compare(node, key) < 0) { // it was put in after the search had passed
            node = next(node, 0);
        }
        return node;
    }

    /** The last node before the key. A writer's path is set to the way there. */
    private int search(MemorySegment key, long hint, int[] path) {
        int node = 0;
        for (int level = height - 1; level >= 0; level--) {
            node = lastBefore(key, hint, node, level);
            if (path != null) {
                path[level] = node;
            }
        }
        return node;
    }

    /** The last node on a level whose key is below the given one, from a node on that is. */
    private int lastBefore(MemorySegment key, long hint, int from, int level) {
        int node = from;
        while (true) {
            int order = Long.compareUnsigned(hint(node, level), hint);
            int next = order > 0 ? 0 : next(node, level);
            if (next == 0 || order == 0 && compare(next, key) >= 0) {
                return node;
            }
            node = next;
        }
    }

    private int compare(int node, MemorySegment key) {
        MemorySegment bytes = chunkOf(node);
        long at = at(node);
        return Keys.compare(bytes, keyAt(bytes, at), keyLength(bytes, at), key, 0, key.byteSize());
    }

    /** Tells the lookup what this memtable knows of its key; false if nothing. */
    boolean find(Lookup lookup) {
        int limit = sequence;
        for (int node = ceiling(lookup.key); node != 0 && compare(node, lookup.key) == 0; node = next(node, 0)) {
            MemorySegment bytes = chunkOf(node);
            long at = at(node);
            if (bytes.get(JAVA_INT, at) <= limit) {
                show(bytes, at, lookup);
                return true;
            }
        }
        return false;
    }

    private static void show(MemorySegment bytes, long at, Lookup lookup) {
        int valueLength = bytes.get(JAVA_INT, at + VALUE_LENGTH_AT);
        if (valueLength == Format.TOMBSTONE_LENGTH) {
            lookup.foundTombstone();
        } else {
            lookup.found(bytes, keyAt(bytes, at) + keyLength(bytes, at), valueLength);
        }
    }

    /** The entries of this moment with a key of at least {@code from}; null for all. */
    Cursor cursor(MemorySegment from) {
        int limit = sequence;
        int first = from == null ? next(0, 0) : ceiling(from);
        return new NodeCursor(first, limit);
    }

    private final class NodeCursor extends Cursor {
        private final int limit;
        private int node;

        NodeCursor(int first, int limit) {
            this.node = first;
            this.limit = limit;
        }

        @Override
        boolean next() {
            for (boolean started = bytes != null; node != 0; node = Memtable.this.next(node, 0)) {
                MemorySegment chunk = chunkOf(node);
                long at = at(node);
                if (chunk.get(JAVA_INT, at) <= limit && !(started && isKeyAgain(chunk, at))) {
                    show(chunk, at);
                    node = Memtable.this.next(node, 0);
                    return true;
                }
            }
            return false;
        }

        private boolean isKeyAgain(MemorySegment chunk, long at) {
            return Keys.compare(chunk, Memtable.keyAt(chunk, at), Memtable.keyLength(chunk, at), bytes, keyAt, keyLength) == 0;
        }

        private void show(MemorySegment chunk, long at) {
            bytes = chunk;
            keyAt = Memtable.keyAt(chunk, at);
            keyLength = Memtable.keyLength(chunk, at);
            setPrefix();
            valueAt = keyAt + keyLength;
            int length = chunk.get(JAVA_INT, at + VALUE_LENGTH_AT);
            tombstone = length == Format.TOMBSTONE_LENGTH;
            valueLength = Math.max(length, 0);
        }
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
        chunks[chunkCount] = arena.allocate(bytes, UNIT_BYTES);
        return chunkCount++;
    }

    private MemorySegment chunkOf(int node) {
        return chunks[node >>> CHUNK_UNIT_BITS];
    }

    private static long at(int node) {
        return (long) (node & ((1 << CHUNK_UNIT_BITS) - 1)) * UNIT_BYTES;
    }

    private static int keyLength(MemorySegment bytes, long at) {
        return bytes.get(JAVA_INT, at + SHAPE_AT) & ((1 << HEIGHT_SHIFT) - 1);
    }

    private static int height(MemorySegment bytes, long at) {
        return bytes.get(JAVA_INT, at + SHAPE_AT) >>> HEIGHT_SHIFT;
    }

    private static long keyAt(MemorySegment bytes, long at) {
        return at + HINTS_AT + (long) height(bytes, at) * LEVEL_BYTES;
    }

    private static long nextAt(MemorySegment bytes, long at, int level) {
        return at + HINTS_AT + (long) height(bytes, at) * Long.BYTES + (long) level * Integer.BYTES;
    }

    private int next(int node, int level) {
        MemorySegment bytes = chunkOf(node);
        return (int) NEXT.getAcquire(bytes, nextAt(bytes, at(node), level));
    }

    private void setNext(int node, int level, int next) {
        MemorySegment bytes = chunkOf(node);
        NEXT.setRelease(bytes, nextAt(bytes, at(node), level), next);
    }

    /** Of the next node on a level; the highest if there is none. */
    private long hint(int node, int level) {
        return (long) HINT.getAcquire(chunkOf(node), at(node) + HINTS_AT + (long) level * Long.BYTES);
    }

    private void setHint(int node, int level, long hint) {
        HINT.setRelease(chunkOf(node), at(node) + HINTS_AT + (long) level * Long.BYTES, hint);
    }

    /** One in two nodes of a level is on the next one, too: fewer nodes to pass than with one in four, for eight bytes more a node. */
    private int randomHeight() {
        random ^= random << 13;
        random ^= random >>> 7;
        random ^= random << 17;
        return Math.min(MAX_HEIGHT, 1 + Long.numberOfTrailingZeros(random));
    }

    /** What the writes would take in a table, its index and filter apart; those that are overwritten count, too. */
    long tableBytes() {
        return tableBytes;
    }

    /** Writes, those that are overwritten included. */
    int size() {
        return sequence;
    }

    boolean isEmpty() {
        return sequence == 0;
    }

    /** REQUIRES: no reader. */
    void close() {
        Threads.close(arena);
    }
}
