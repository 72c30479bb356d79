// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * The newest entries: a skip list outside the heap, one writer at a time, any number of readers without a lock.
 *
 * <p>A key that is written again gets another node before its older ones, so a reader that passed a limit of {@link #sequence} sees
 * what was there at that moment. After it is frozen nothing changes it.
 *
 * <pre>
 * node = prefix:u64 | sequence:u32 | keyLength:u24 | height:u8 | valueLength:i32 (-1: tombstone)
 *        | next node on level 0, 1, ... height-1:u32 each | key | value
 * </pre>
 *
 * A node is known by its place in units of eight bytes; its chunk is in the upper bits. Place 0 is the head, and as a successor: none.
 * A reader meets a node only through a next field, which is set last, with release; so it sees all of the node.
 */
final class Memtable {
    private static final int CHUNK_UNIT_BITS = 15;
    private static final int UNIT_BYTES = 8;
    private static final int CHUNK_BYTES = UNIT_BYTES << CHUNK_UNIT_BITS;
    private static final int LARGE_BYTES = CHUNK_BYTES / 8;
    private static final int MAX_HEIGHT = 12;

    private static final int SEQUENCE_AT = 8;
    private static final int SHAPE_AT = 12;
    private static final int HEIGHT_SHIFT = 24;
    private static final int VALUE_LENGTH_AT = 16;
    private static final int NEXT_AT = 20;
    private static final ValueLayout.OfLong PREFIX = ValueLayout.JAVA_LONG;
    private static final VarHandle NEXT = JAVA_INT.varHandle();

    /** That of its log and of the table it becomes. */
    final long number;

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

    Memtable(long number) {
        this.number = number;
        addChunk(CHUNK_BYTES);
        allocate(NEXT_AT + MAX_HEIGHT * Integer.BYTES); // the head
    }

    /** A null value is a tombstone. Visible to {@link #find} at once, to cursors from the next {@link #publish} on. */
    void put(MemorySegment key, MemorySegment value) {
        int keyLength = (int) key.byteSize();
        int valueLength = value == null ? Format.TOMBSTONE_LENGTH : (int) value.byteSize();
        long prefix = Keys.prefix(key, 0, keyLength);
        if (!followsLast(key, prefix)) {
            search(key, prefix, path);
        }
        int nodeHeight = randomHeight();
        int node = allocate(NEXT_AT + nodeHeight * Integer.BYTES + keyLength + (long) Math.max(valueLength, 0));
        MemorySegment bytes = chunkOf(node);
        long at = at(node);
        bytes.set(PREFIX, at, prefix);
        bytes.set(JAVA_INT, at + SEQUENCE_AT, ++count);
        bytes.set(JAVA_INT, at + SHAPE_AT, keyLength | nodeHeight << HEIGHT_SHIFT);
        bytes.set(JAVA_INT, at + VALUE_LENGTH_AT, valueLength);
        long keyAt = at + NEXT_AT + nodeHeight * Integer.BYTES;
        MemorySegment.copy(key, 0, bytes, keyAt, keyLength);
        if (value != null) {
            MemorySegment.copy(value, 0, bytes, keyAt + keyLength, valueLength);
        }
        for (int level = 0; level < nodeHeight; level++) {
            setNext(node, level, next(path[level], level));
            setNext(path[level], level, node);
        }
        height = Math.max(height, nodeHeight);
        last = node;
        lastHeight = nodeHeight;
        tableBytes += Format.entryBytes(keyLength, Math.max(valueLength, 0));
    }

    /** Makes all that was put visible to cursors made from now on. */
    void publish() {
        sequence = count;
    }

    /** In ascending writing the path of the last search leads to the end of the list, and needs no new search. */
    private boolean followsLast(MemorySegment key, long prefix) {
        if (last == 0 || next(last, 0) != 0 || compare(last, key, prefix) >= 0) {
            return false;
        }
        Arrays.fill(path, 0, lastHeight, last);
        return true;
    }

    /** The newest node of the key, or the first after it; 0 if there is none. A writer's path is set to the way there. */
    private int search(MemorySegment key, long prefix, int[] path) {
        int node = 0;
        int next = 0;
        for (int level = height - 1; level >= 0; level--) {
            for (next = next(node, level); next != 0 && compare(next, key, prefix) < 0; next = next(node, level)) {
                node = next;
            }
            if (path != null) {
                path[level] = node;
            }
        }
        return next;
    }

    private int compare(int node, MemorySegment key, long prefix) {
        MemorySegment bytes = chunkOf(node);
        long at = at(node);
        int order = Long.compareUnsigned(bytes.get(PREFIX, at), prefix);
        return order != 0 ? order
                : Keys.compare(bytes, keyAt(bytes, at), keyLength(bytes, at), key, 0, key.byteSize());
    }

    /** Tells the lookup what this memtable knows of its key; false if nothing. */
    boolean find(Lookup lookup) {
        int node = search(lookup.key, lookup.prefix, null);
        if (node == 0 || compare(node, lookup.key, lookup.prefix) != 0) {
            return false;
        }
        MemorySegment bytes = chunkOf(node);
        long at = at(node);
        int valueLength = bytes.get(JAVA_INT, at + VALUE_LENGTH_AT);
        if (valueLength == Format.TOMBSTONE_LENGTH) {
            lookup.foundTombstone();
        } else {
            lookup.found(bytes, keyAt(bytes, at) + keyLength(bytes, at), valueLength);
        }
        return true;
    }

    /** The entries of this moment with a key of at least {@code from}; null for all. */
    Cursor cursor(MemorySegment from) {
        int limit = sequence;
        int first = from == null ? next(0, 0) : search(from, Keys.prefix(from, 0, from.byteSize()), null);
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
                if (chunk.get(JAVA_INT, at + SEQUENCE_AT) <= limit && !(started && isKeyAgain(chunk, at))) {
                    show(chunk, at);
                    node = Memtable.this.next(node, 0);
                    return true;
                }
            }
            return false;
        }

        private boolean isKeyAgain(MemorySegment chunk, long at) {
            return chunk.get(PREFIX, at) == prefix
                    && Keys.compare(chunk, Memtable.keyAt(chunk, at), Memtable.keyLength(chunk, at), bytes, keyAt, keyLength) == 0;
        }

        private void show(MemorySegment chunk, long at) {
            bytes = chunk;
            prefix = chunk.get(PREFIX, at);
            keyAt = Memtable.keyAt(chunk, at);
            keyLength = Memtable.keyLength(chunk, at);
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
            chunks = Arrays.copyOf(chunks, chunkCount * 2);
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

    private static long keyAt(MemorySegment bytes, long at) {
        return at + NEXT_AT + (long) (bytes.get(JAVA_INT, at + SHAPE_AT) >>> HEIGHT_SHIFT) * Integer.BYTES;
    }

    private int next(int node, int level) {
        return (int) NEXT.getAcquire(chunkOf(node), at(node) + NEXT_AT + (long) level * Integer.BYTES);
    }

    private void setNext(int node, int level, int next) {
        NEXT.setRelease(chunkOf(node), at(node) + NEXT_AT + (long) level * Integer.BYTES, next);
    }

    /** One in four nodes of a level is on the next one, too. */
    private int randomHeight() {
        random ^= random << 13;
        random ^= random >>> 7;
        random ^= random << 17;
        return Math.min(MAX_HEIGHT, 1 + Long.numberOfTrailingZeros(random) / 2);
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
        arena.close();
    }
}
