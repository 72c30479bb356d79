// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage.disk;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import lsmlab.storage.system.Threads;

/**
 * A file that is written 2 MB at a time, each piece at a multiple of that. WHY: where the file system can (ext4 since Linux 6.16, XFS), the page cache then has one page of 2 MB for each, and so
 * has a mapping of the file: a look at a random place of it misses the processor's table of pages less often.
 * WHY not for all files: where memory is scattered, or a virtual machine's host has to give it first, writing takes longer for it.
 */
final class AlignedOutput implements Disk.Output {
    private static final int PIECE_BYTES = 2 << 20;

    private final Path path;
    private final Arena arena = Arena.ofConfined();
    private final ByteBuffer piece;
    private FileChannel file; // closed when an interrupt closed it
    private long written;

    /** @param path of a file that is there and empty */
    AlignedOutput(Path path) throws IOException {
        this.path = path;
        try {
            piece = arena.allocate(PIECE_BYTES).asByteBuffer();
            file = open();
        } catch (IOException | RuntimeException | Error e) {
            arena.close();
            throw e;
        }
    }

    private FileChannel open() throws IOException {
        return FileChannel.open(path, StandardOpenOption.WRITE);
    }

    @Override
    public void write(byte[] bytes, int from, int length) throws IOException {
        for (int done = 0; done < length;) {
            int part = Math.min(length - done, piece.remaining());
            piece.put(bytes, from + done, part);
            done += part;
            if (!piece.hasRemaining()) {
                drain();
            }
        }
    }

    private void drain() throws IOException {
        piece.flip();
        Threads.uninterrupted(() -> {
            file = file.isOpen() ? file : open();
            while (piece.hasRemaining()) { // its position counts what was written, also where an interrupt came
                file.write(piece, written + piece.position());
            }
            return null;
        });
        written += piece.limit();
        piece.clear();
    }

    @Override
    public void sync() throws IOException {
        drain();
        Threads.uninterrupted(() -> {
            file = file.isOpen() ? file : open();
            file.force(true);
            return null;
        });
    }

    @Override
    public void rollBack(long length) {
        throw new UnsupportedOperationException("what is written once is not rolled back");
    }

    @Override
    public void close() throws IOException {
        try (arena; FileChannel _ = file) {
            // what is not synced may be lost
        }
    }
}
