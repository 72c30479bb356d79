// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage.memtable;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.stream.LongStream;
import lsmlab.storage.format.Format;
import lsmlab.storage.keys.Cursor;
import lsmlab.storage.keys.Digits;
import lsmlab.storage.keys.Keys;
import lsmlab.storage.keys.Lookup;
import lsmlab.storage.keys.Source;

/**
 * The newest entries: a skip list outside the heap, one writer at a time, any number of readers without a lock.
 *
 * <p>A key that is written again gets another node in front of its older ones. Readers skip nodes with a higher sequence number than the one
 * they began with, so each reader sees a snapshot. A frozen memtable never changes.
 *
 * <p>WHY hints: the cost of a search is cache misses, one for each node that it visits. A hint is a number that sorts like the next node's key
 * and lies beside the pointer to that node, so a search can decide not to go there without visiting it. It consists of the eight bytes
 * after a stem that most keys are expected to share.
 */
public final class Memtable implements Source {
    private static final int MAX_HEIGHT = 20;
    private static final int LEAST_EXPECTED = 1_000; // nodes: a smaller memtable is in the processor's cache
    private static final int SAMPLED = 1_000;
    /** From where a shortcut leads to. It is further where few keys are written again and again, or keys are not like those before: then the search begins at the head. */
    private static final int MOST_STEPS = 16;
    private static final int TOO_FAR = -1;
    /** Wasted steps after which shortcuts are not used any more. Each search that they help makes up for one. */
    private static final int MOST_MISLED = 1_000;

    /** That of its log and of the table it becomes. */
    public final long number;

    private final MemorySegment stem;
    private final Nodes nodes = new Nodes(MAX_HEIGHT);
    private final Shortcuts[] shortcuts; // the lowest first
    private final KeyFilter filter; // null: none

    private final int[] path = new int[MAX_HEIGHT]; // of the last search: on each level the last node before the key
    private int pathHeight = MAX_HEIGHT; // the levels below this are valid in the path
    private int misled; // wasted steps of writers that have not been made up for
    private int last; // the node written last
    private int lastHeight;
    private int height = 1;
    private long random = 0x2545F4914F6CDD1DL;
    private int count; // nodes, sequence of the last
    private volatile int sequence;
    private volatile long tableBytes;

    /** @param stem what most keys are expected to begin with; any other keys cost time only */
    public Memtable(long number, MemorySegment stem) {
        this(number, stem, null, 0);
    }

    /** @param digits of the keys that are expected; null: nothing is known of them */
    private Memtable(long number, MemorySegment stem, Digits digits, int expected) {
        this.number = number;
        this.stem = stem;
        shortcuts = digits == null ? new Shortcuts[] {} : Shortcuts.of(digits, expected, nodes.arena);
        filter = digits == null ? null : KeyFilter.of(expected, nodes.arena);
    }

    /**
     * An empty one that expects keys like those of this one. REQUIRES: that this one holds some.
     *
     * @param expected writes that it will take
     */
    public Memtable successor(long number, int expected) {
        MemorySegment nextStem = span().stem();
        int level = Integer.SIZE - Integer.numberOfLeadingZeros(count / SAMPLED);
        boolean isLarge = count >= LEAST_EXPECTED && nodes.next(0, level) != 0;
        return new Memtable(number, nextStem, isLarge ? new Digits(prefixes(level, nextStem.byteSize())) : null, expected);
    }

    /** Of the keys on a level, after a stem. */
    private LongStream prefixes(int level, long stemLength) {
        LongStream.Builder prefixes = LongStream.builder();
        for (int node = nodes.next(0, level); node != 0; node = nodes.next(node, level)) {
            prefixes.add(Keys.prefixAfter(nodes.key(node), stemLength));
        }
        return prefixes.build();
    }

    public Keys.Span span() {
        int first = nodes.next(0, 0);
        if (first == 0) {
            return new Keys.Span(null, null);
        }
        int end = 0;
        for (int level = MAX_HEIGHT - 1; level >= 0; level--) {
            for (int next = nodes.next(end, level); next != 0; next = nodes.next(end, level)) {
                end = next;
            }
        }
        return new Keys.Span(nodes.key(first), nodes.key(end));
    }

    /** Never falls as keys rise; different for most keys that begin with the stem. */
    private long hint(MemorySegment key) {
        long length = key.byteSize();
        long stemLength = stem.byteSize();
        int order = Keys.compare(key, 0, Math.min(length, stemLength), stem, 0, stemLength);
        return order == 0 ? Keys.prefixAfter(key, stemLength) : order < 0 ? 0 : Nodes.NO_HINT;
    }

    /** A null value is a tombstone. Not visible before the next {@link #publish}. */
    public void put(MemorySegment key, MemorySegment value) {
        long hint = hint(key);
        int nodeHeight = randomHeight();
        if (!followsLast(key) || nodeHeight > pathHeight) {
            search(key, hint, nodeHeight, path);
        }
        last = 0; // should the next line fail, the path is not that of the last node
        int node = nodes.add(++count, nodeHeight, key, value);
        if (filter != null) {
            filter.add(Keys.hash(key, 0, key.byteSize()));
        }
        for (int level = 0; level < nodeHeight; level++) {
            link(node, level, hint);
        }
        for (int i = 0; i < shortcuts.length && shortcuts[i].height <= nodeHeight; i++) {
            shortcuts[i].add(hint, node);
        }
        height = Math.max(height, nodeHeight);
        last = node;
        lastHeight = nodeHeight;
        tableBytes += Format.entryBytes(key.byteSize(), value == null ? 0 : value.byteSize());
    }

    /**
     * Puts a node between two others. WHY in this order: a reader reads the hint before the node, so its hint may be older, never newer. An older
     * hint belongs to a node further on. If that one lies before the key, so does the new one; if not, the reader goes down a level.
     */
    private void link(int node, int level, long hint) {
        int before = path[level];
        nodes.setNext(node, level, nodes.next(before, level));
        nodes.setHint(node, level, nodes.hint(before, level));
        nodes.setNext(before, level, node);
        nodes.setHint(before, level, hint);
    }

    /** Makes all that was put visible, at once. */
    public void publish() {
        sequence = count;
    }

    /** In ascending writing the path of the last search leads to the end of the list, and needs no new search. */
    private boolean followsLast(MemorySegment key) {
        if (last == 0 || nodes.next(last, 0) != 0 || compare(last, key) >= 0) {
            return false;
        }
        Arrays.fill(path, 0, lastHeight, last);
        return true;
    }

    /** The newest node of the key, or the first after it; 0 if there is none. */
    private int ceiling(MemorySegment key) {
        int node = nodes.next(search(key, hint(key), 1, null), 0);
        while (node != 0 && compare(node, key) < 0) { // it was put in after the search had passed
            node = nodes.next(node, 0);
        }
        return node;
    }

    /** The last node before the key. A writer's path is set to the way there, for a node of this height. */
    private int search(MemorySegment key, long hint, int nodeHeight, int[] path) {
        if (misled < MOST_MISLED) {
            for (Shortcuts shortcut : shortcuts) {
                int start = shortcut.height < nodeHeight ? 0 : shortcut.before(hint);
                if (start != 0) {
                    int near = lastBefore(key, hint, start, shortcut.height - 1, MOST_STEPS);
                    if (path != null) { // and not for a reader
                        misled = near == TOO_FAR ? misled + MOST_STEPS : Math.max(0, misled - 1);
                    }
                    if (near != TOO_FAR) {
                        return descend(key, hint, near, shortcut.height, path);
                    }
                    break;
                }
            }
        }
        return descend(key, hint, 0, height, path);
    }

    /** @param levels that the node before the key has at least */
    private int descend(MemorySegment key, long hint, int from, int levels, int[] path) {
        int node = from;
        for (int level = levels - 1; level >= 0; level--) {
            node = lastBefore(key, hint, node, level, Integer.MAX_VALUE);
            if (path != null) {
                path[level] = node;
            }
        }
        if (path != null) {
            pathHeight = from == 0 ? MAX_HEIGHT : levels;
        }
        return node;
    }

    /** The last node on a level whose key is below the given one, from a node on that is; {@link #TOO_FAR} if it is more steps away. */
    private int lastBefore(MemorySegment key, long hint, int from, int level, int mostSteps) {
        int node = from;
        for (int step = 0; step < mostSteps; step++) {
            int order = Long.compareUnsigned(nodes.hint(node, level), hint);
            int next = order > 0 ? 0 : nodes.next(node, level);
            if (next == 0 || order == 0 && compare(next, key) >= 0) {
                return node;
            }
            node = next;
        }
        return TOO_FAR;
    }

    private int compare(int node, MemorySegment key) {
        MemorySegment bytes = nodes.chunkOf(node);
        long at = Nodes.at(node);
        return Keys.compare(bytes, Nodes.keyAt(bytes, at), Nodes.keyLength(bytes, at), key, 0, key.byteSize());
    }

    @Override
    public boolean find(Lookup lookup) {
        int limit = sequence; // read first: the filter knows the keys of all nodes up to there
        boolean mayHold = limit != 0 && (filter == null || filter.mayHold(lookup.hash));
        for (int node = mayHold ? ceiling(lookup.key) : 0; node != 0 && compare(node, lookup.key) == 0; node = nodes.next(node, 0)) {
            MemorySegment bytes = nodes.chunkOf(node);
            long at = Nodes.at(node);
            if (Nodes.sequence(bytes, at) <= limit) {
                show(bytes, at, lookup);
                return true;
            }
        }
        return false;
    }

    private static void show(MemorySegment bytes, long at, Lookup lookup) {
        int valueLength = Nodes.valueLength(bytes, at);
        if (valueLength == Format.TOMBSTONE_LENGTH) {
            lookup.foundTombstone();
        } else {
            lookup.found(bytes, Nodes.keyAt(bytes, at) + Nodes.keyLength(bytes, at), valueLength);
        }
    }

    @Override
    public Cursor cursor(MemorySegment from) {
        int limit = sequence;
        return new NodeCursor(from == null ? nodes.next(0, 0) : ceiling(from), limit);
    }

    private final class NodeCursor extends Cursor {
        private final int limit;
        private int node;

        NodeCursor(int first, int limit) {
            this.node = first;
            this.limit = limit;
        }

        @Override
        public boolean next() {
            for (boolean started = bytes != null; node != 0; node = nodes.next(node, 0)) {
                MemorySegment chunk = nodes.chunkOf(node);
                long at = Nodes.at(node);
                if (Nodes.sequence(chunk, at) <= limit && !(started && isKeyAgain(chunk, at))) {
                    show(chunk, at);
                    node = nodes.next(node, 0);
                    return true;
                }
            }
            return false;
        }

        private boolean isKeyAgain(MemorySegment chunk, long at) {
            return Keys.compare(chunk, Nodes.keyAt(chunk, at), Nodes.keyLength(chunk, at), bytes, keyAt, keyLength) == 0;
        }

        private void show(MemorySegment chunk, long at) {
            bytes = chunk;
            keyAt = Nodes.keyAt(chunk, at);
            keyLength = Nodes.keyLength(chunk, at);
            setPrefix();
            valueAt = keyAt + keyLength;
            int length = Nodes.valueLength(chunk, at);
            tombstone = length == Format.TOMBSTONE_LENGTH;
            valueLength = Math.max(length, 0);
        }
    }

    /** One in two nodes of a level is on the next one, too: fewer nodes to pass than with one in four, for eight bytes more a node. */
    private int randomHeight() {
        random ^= random << 13;
        random ^= random >>> 7;
        random ^= random << 17;
        return Math.min(MAX_HEIGHT, 1 + Long.numberOfTrailingZeros(random));
    }

    /** What the writes would take in a table, its index and filter apart; those that are overwritten count, too. */
    public long tableBytes() {
        return tableBytes;
    }

    /** Writes, those that are overwritten included. */
    public int size() {
        return sequence;
    }

    public boolean isEmpty() {
        return sequence == 0;
    }

    @Override
    public long memoryBytes() {
        long bytes = nodes.allocatedBytes();
        for (Shortcuts shortcut : shortcuts) {
            bytes += shortcut.bytes();
        }
        return bytes + (filter == null ? 0 : filter.bytes());
    }

    /** Makes sure that nothing which was put since the last {@link #publish} will ever be visible. */
    public void discardUnpublished() {
        for (int node = nodes.next(0, 0); node != 0; node = nodes.next(node, 0)) {
            nodes.hideIfAfter(node, sequence);
        }
    }

    @Override
    public Arena arena() {
        return nodes.arena;
    }

    @Override
    public void close() {
        Source.super.close();
        nodes.freePages();
    }

    @Override
    public boolean tryClose() {
        boolean isClosed = Source.super.tryClose();
        nodes.freePages();
        return isClosed;
    }
}
