// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Iterator;
import java.util.NoSuchElementException;

/**
 * One immutable sorted file, mapped. Any number of threads may read it until {@link #close}; afterwards a read throws
 * {@link IllegalStateException} rather than touching memory that is gone.
 */
final class Table implements AutoCloseable {
    private final Path path;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment file;
    private final long count;
    private final long offsetsAt;
    private final MemorySegment firstKey;
    private final MemorySegment lastKey;

    /** Maps a table and checks its footer. */
    Table(Path path) throws IOException {
        this.path = path;
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
            file = channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size(), arena);
            TableFormat.Footer footer = TableFormat.Footer.of(file);
            count = footer.count();
            offsetsAt = footer.offsetsAt();
            firstKey = MemorySegment.ofArray(key(0).toArray(JAVA_BYTE));
            lastKey = MemorySegment.ofArray(key(count - 1).toArray(JAVA_BYTE));
        } catch (TableFormat.InvalidFormat e) {
            arena.close();
            throw new CorruptionException(path, e.offset, e.getMessage());
        } catch (IndexOutOfBoundsException e) {
            arena.close();
            throw new CorruptionException(path, 0, "has entries beyond its end");
        } catch (IOException | RuntimeException e) {
            arena.close();
            throw e;
        }
    }

    /** The value as a slice of the mapped file, {@link Entry#TOMBSTONE}, or null when the table does not hold the key. */
    MemorySegment find(Lookup lookup, Pruning pruning) {
        if (!mayHold(lookup.key, pruning)) {
            lookup.pruned(this);
            return null;
        }
        long index = ceiling(lookup.key, lookup);
        MemorySegment value = index < count && compareKey(index, lookup.key) == 0 ? value(index) : null;
        lookup.asked(this, value);
        return value;
    }

    private boolean mayHold(MemorySegment key, Pruning pruning) {
        return switch (pruning) {
            case NONE -> true;
            case RANGE -> Keys.compare(firstKey, key) <= 0 && Keys.compare(key, lastKey) <= 0;
            case RANGE_FROM_FILE -> compareKey(0, key) <= 0 && compareKey(count - 1, key) >= 0;
        };
    }

    /** Index of the first entry whose key is not below {@code key}; count if there is none. */
    private long ceiling(MemorySegment key, Lookup lookup) {
        long low = 0;
        long high = count;
        while (low < high) {
            long middle = (low + high) >>> 1;
            lookup.probes++;
            if (compareKey(middle, key) < 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    private int compareKey(long index, MemorySegment key) {
        long entry = TableFormat.offset(file, offsetsAt, index);
        long from = TableFormat.keyAt(entry);
        return Keys.compare(file, from, from + TableFormat.keyLength(file, entry), key, 0, key.byteSize());
    }

    private MemorySegment key(long index) {
        long entry = TableFormat.offset(file, offsetsAt, index);
        return file.asSlice(TableFormat.keyAt(entry), TableFormat.keyLength(file, entry));
    }

    private MemorySegment value(long index) {
        long entry = TableFormat.offset(file, offsetsAt, index);
        int length = TableFormat.valueLength(file, entry);
        return length == TableFormat.TOMBSTONE_LENGTH
                ? Entry.TOMBSTONE
                : file.asSlice(TableFormat.keyAt(entry) + TableFormat.keyLength(file, entry), length);
    }

    /** Entries with from ≤ key < to, ascending, tombstones included; a null bound is open. */
    Iterator<Entry> scan(MemorySegment from, MemorySegment to) {
        long start = from == null ? 0 : ceiling(from, new Lookup(from));
        long end = to == null ? count : ceiling(to, new Lookup(to));
        return new Iterator<>() {
            private long next = start;

            @Override
            public boolean hasNext() {
                return next < end;
            }

            @Override
            public Entry next() {
                if (next >= end) {
                    throw new NoSuchElementException();
                }
                long index = next++;
                return new Entry(key(index), value(index));
            }
        };
    }

    String name() {
        return path.getFileName().toString();
    }

    long bytes() {
        return file.byteSize();
    }

    @Override
    public void close() {
        arena.close();
    }
}
