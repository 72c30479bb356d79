// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Iterator;

/**
 * Writes sorted entries as one synced file in {@link TableFormat}, front to back through one buffer. Values that do not fit the
 * buffer go to the file as they are, so that a large one is never copied.
 */
final class TableWriter implements AutoCloseable {
    private static final int BUFFER_BYTES = 256 << 10;

    private final FileChannel file;
    private final Arena arena = Arena.ofConfined();
    private final MemorySegment buffer = arena.allocate(BUFFER_BYTES);
    private long buffered;
    private long written;
    private long[] offsets = new long[1024];
    private int count;

    private TableWriter(Path path) throws IOException {
        file = FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    }

    /** Writes and syncs; on return the bytes of {@code path} are durable, its name is not yet. Returns the file's length. */
    static long write(Path path, Iterator<Entry> entries) throws IOException {
        try (TableWriter writer = new TableWriter(path)) {
            while (entries.hasNext()) {
                writer.add(entries.next());
            }
            return writer.finish();
        }
    }

    private void add(Entry entry) throws IOException {
        if (count == offsets.length) {
            offsets = Arrays.copyOf(offsets, count * 2);
        }
        offsets[count++] = written + buffered;
        reserve(TableFormat.ENTRY_HEADER_BYTES);
        int valueLength = entry.isTombstone() ? TableFormat.TOMBSTONE_LENGTH : (int) entry.value().byteSize();
        TableFormat.putEntryHeader(buffer, buffered, (int) entry.key().byteSize(), valueLength);
        buffered += TableFormat.ENTRY_HEADER_BYTES;
        append(entry.key());
        append(entry.value());
    }

    private long finish() throws IOException {
        long offsetsAt = written + buffered;
        for (int i = 0; i < count; i++) {
            reserve(TableFormat.OFFSET_BYTES);
            TableFormat.putOffset(buffer, buffered, offsets[i]);
            buffered += TableFormat.OFFSET_BYTES;
        }
        append(new TableFormat.Footer(count, offsetsAt).bytes());
        drain();
        file.force(true);
        return written;
    }

    private void append(MemorySegment bytes) throws IOException {
        long size = bytes.byteSize();
        if (size > BUFFER_BYTES) {
            drain();
            writeFully(bytes);
        } else {
            reserve(size);
            MemorySegment.copy(bytes, 0, buffer, buffered, size);
            buffered += size;
        }
    }

    private void reserve(long bytes) throws IOException {
        if (buffered + bytes > BUFFER_BYTES) {
            drain();
        }
    }

    private void drain() throws IOException {
        writeFully(buffer.asSlice(0, buffered));
        buffered = 0;
    }

    private void writeFully(MemorySegment bytes) throws IOException {
        ByteBuffer from = bytes.asByteBuffer();
        while (from.hasRemaining()) {
            written += file.write(from);
        }
    }

    @Override
    public void close() throws IOException {
        arena.close();
        file.close();
    }
}
