// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage.disk;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.Executor;
import lsmlab.storage.system.Threads;

/**
 * A memory-mapped file: stores reach the page cache without a system call and survive the process. Space ahead is allocated by writing
 * zeros, and only allocated space is mapped, so a full disk shows as an exception and not as a memory fault. Another thread allocates it,
 * because growing a file may wait for the file system's journal. A file that was not closed ends in zeros.
 */
final class MappedOutput implements Disk.Output {
    private static final int STEP_BYTES = 1 << 20;
    /** How far space is taken ahead of what was written: a file system's journal keeps it waiting for tens of milliseconds. */
    private static final long MOST_AHEAD_BYTES = 8 << 20;
    private static final byte[] ZEROS = new byte[STEP_BYTES];

    private final Path path;
    private final RandomAccessFile file;
    private final Executor helper;
    private final Arena arena = Arena.ofShared();
    private final Runnable releasing = this::release; // made now, because there may be no memory for it in the end
    private MemorySegment window = MemorySegment.NULL;
    private long windowAt; // of the window's first byte in the file
    private long length;
    private volatile long zeroed; // the disk space up to here is taken
    private volatile boolean helped; // the helper has been asked to take more
    private boolean closed; // GUARDED BY this

    /** @param file empty; closed with this */
    MappedOutput(Path path, RandomAccessFile file, Executor helper) {
        this.path = path;
        this.file = file;
        this.helper = helper;
    }

    @Override
    public void write(byte[] bytes, int from, int count) throws IOException {
        for (int done = 0; done < count;) {
            if (length == windowAt + window.byteSize()) {
                takeSpace(length + 1);
                moveWindow();
            }
            int piece = (int) Math.min(count - done, windowAt + window.byteSize() - length);
            try {
                MemorySegment.copy(MemorySegment.ofArray(bytes), from + done, window, length - windowAt, piece);
            } catch (InternalError e) { // space that was taken is gone: the file was cut, or its file system copies on each write
                throw new IOException("No space left on device, or the file was cut: " + path, e);
            }
            length += piece;
            done += piece;
        }
        askForMore();
    }

    /** The further a file has come, the more is taken ahead: those of small memtables would be mostly zeros. */
    private void askForMore() {
        long ahead = Math.min(MOST_AHEAD_BYTES, Math.max(STEP_BYTES, length));
        if (zeroed - length < ahead / 2 && !helped) {
            helped = true;
            try {
                helpUpTo(length + ahead);
            } catch (OutOfMemoryError e) {
                helped = false; // the writer takes the space when it comes there
            }
        }
    }

    private void helpUpTo(long end) {
        helper.execute(() -> {
            try {
                takeSpace(end);
            } catch (IOException e) {
                // the writer meets the same when it comes there
            } finally {
                helped = false;
            }
        });
    }

    /** In steps, so that a writer does not wait for more than it needs. */
    private void takeSpace(long end) throws IOException {
        while (takeStep(end)) {
            // the lock is free in between
        }
    }

    /** Returns whether another step is needed. */
    private synchronized boolean takeStep(long end) throws IOException {
        if (closed || zeroed >= end) {
            return false;
        }
        file.seek(zeroed);
        file.write(ZEROS);
        zeroed += STEP_BYTES;
        return zeroed < end;
    }

    /** Over all that is taken by now, from where writing goes on. */
    private void moveWindow() throws IOException {
        window = Threads.uninterrupted(() -> {
            try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
                return channel.map(FileChannel.MapMode.READ_WRITE, length, zeroed - length, arena);
            }
        });
        windowAt = length;
    }

    @Override
    public void rollBack(long to) throws IOException {
        overwrite(to, Math.min(zeroed, length) - to);
        length = to;
        if (to < windowAt) { // else the window still holds: each new one is memory that stays until this is closed
            window = MemorySegment.NULL;
            windowAt = to;
        }
    }

    private synchronized void overwrite(long from, long count) throws IOException {
        file.seek(from);
        for (long done = 0; done < count; done += STEP_BYTES) {
            file.write(ZEROS, 0, (int) Math.min(STEP_BYTES, count - done));
        }
    }

    @Override
    public void sync() throws IOException {
        file.getFD().sync();
    }

    /** What was written is safe already; the rest, to cut off the zeros and to let the memory go, happens when the helper comes to it. */
    @Override
    public void close() {
        try {
            helper.execute(releasing);
        } catch (OutOfMemoryError e) {
            release();
        }
    }

    private synchronized void release() {
        closed = true;
        try (file; arena) {
            file.setLength(length);
        } catch (IOException e) {
            // the zeros stay, and mean nothing
        }
    }
}
