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

/** Writes sorted entries as one synced file in {@link TableFormat}, front to back through one buffer, large values in pieces. */
final class TableWriter implements AutoCloseable {
    private static final int BUFFER_BYTES = 256 << 10;

    private final FileChannel file;
    private final Arena arena;
    private final MemorySegment buffer;
    private long buffered;
    private long written;
    private long[] offsets = new long[1024];
    private int count;

    private TableWriter(Path path) throws IOException {
        file = FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        arena = Arena.ofConfined();
        buffer = arena.allocate(BUFFER_BYTES);
    }

    /** Writes and syncs; on return the bytes of {@code path} are durable, its name is not yet. */
    static void write(Path path, Iterator<Entry> entries) throws IOException {
        try (TableWriter writer = new TableWriter(path)) {
            while (entries.hasNext()) {
                writer.add(entries.next());
            }
            writer.finish();
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

    private void finish() throws IOException {
        long offsetsAt = written + buffered;
        for (int i = 0; i < count; i++) {
            reserve(TableFormat.OFFSET_BYTES);
            TableFormat.putOffset(buffer, buffered, offsets[i]);
            buffered += TableFormat.OFFSET_BYTES;
        }
        append(new TableFormat.Footer(count, offsetsAt).bytes());
        drain();
        file.force(true);
    }

    private void append(MemorySegment bytes) throws IOException {
        for (long done = 0; done < bytes.byteSize();) {
            reserve(1);
            long piece = Math.min(bytes.byteSize() - done, BUFFER_BYTES - buffered);
            MemorySegment.copy(bytes, done, buffer, buffered, piece);
            buffered += piece;
            done += piece;
        }
    }

    private void reserve(long bytes) throws IOException {
        if (buffered + bytes > BUFFER_BYTES) {
            drain();
        }
    }

    private void drain() throws IOException {
        ByteBuffer from = buffer.asSlice(0, buffered).asByteBuffer();
        while (from.hasRemaining()) {
            written += file.write(from);
        }
        buffered = 0;
    }

    @Override
    public void close() throws IOException {
        arena.close();
        file.close();
    }
}
