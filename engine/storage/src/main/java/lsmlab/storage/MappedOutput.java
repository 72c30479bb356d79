// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A file written through mapped memory: what was written is the operating system's without a system call, as for {@code write}, and
 * survives the process. The disk space ahead is taken by writing zeros, so a full disk is an exception here and not a fault in the
 * memory; a file that was not closed ends in zeros.
 */
final class MappedOutput implements Disk.Output {
    private static final int AHEAD_BYTES = 1 << 20;
    private static final long WINDOW_BYTES = 64L << 20;
    private static final byte[] ZEROS = new byte[AHEAD_BYTES];

    private final Path path;
    private final RandomAccessFile file;
    private final Arena arena = Arena.ofShared();
    private MemorySegment window = MemorySegment.NULL;
    private long windowAt; // of the window's first byte in the file
    private long length;
    private long zeroed; // the disk space up to here is taken

    MappedOutput(Path path) throws IOException {
        this.path = path;
        file = new RandomAccessFile(path.toFile(), "rw");
    }

    @Override
    public void write(byte[] bytes, int from, int count) throws IOException {
        for (int done = 0; done < count;) {
            if (length == windowAt + window.byteSize()) {
                moveWindow();
            }
            int piece = (int) Math.min(count - done, windowAt + window.byteSize() - length);
            takeSpace(length + piece);
            MemorySegment.copy(MemorySegment.ofArray(bytes), from + done, window, length - windowAt, piece);
            length += piece;
            done += piece;
        }
    }

    private void takeSpace(long end) throws IOException {
        while (zeroed < end) {
            file.seek(zeroed);
            file.write(ZEROS);
            zeroed += AHEAD_BYTES;
        }
    }

    private void moveWindow() throws IOException {
        windowAt += window.byteSize();
        window = Threads.uninterrupted(() -> {
            try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
                return channel.map(FileChannel.MapMode.READ_WRITE, windowAt, WINDOW_BYTES, arena);
            }
        });
    }

    @Override
    public void sync() throws IOException {
        file.getFD().sync();
    }

    @Override
    public void close() throws IOException {
        try (file; arena) {
            file.setLength(length);
        }
    }
}
