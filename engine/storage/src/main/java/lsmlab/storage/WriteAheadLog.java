// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import java.io.Closeable;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.zip.CRC32C;

/**
 * Writes the log: one file a memtable, one record a commit group ({@link Format}). Not safe for several threads. After a failure the
 * file may end in a torn record, so nothing may be appended any more.
 */
final class WriteAheadLog implements Closeable {
    private static final int BUFFER_BYTES = 256 << 10;

    private final Disk disk;
    private final boolean synced;
    private final byte[] buffer = new byte[BUFFER_BYTES];
    private final MemorySegment bytes = MemorySegment.ofArray(buffer);
    private final CRC32C sum = new CRC32C();
    private int filled;
    private int summed; // how much of the buffer is in the sum of a group that is larger
    private Disk.Output file; // null until the first group of a memtable
    private long sequence;

    WriteAheadLog(Disk disk, boolean synced) {
        this.disk = disk;
        this.synced = synced;
    }

    /** Appends a group to the log of the given number; returns the bytes written. */
    long append(long number, Write group) throws IOException {
        boolean fresh = file == null;
        if (fresh) {
            start(number);
        }
        long length = lengthOf(group);
        long total = filled + Format.RECORD_HEAD_BYTES + length;
        if (total <= BUFFER_BYTES) {
            int at = filled;
            putHead(length);
            fill(group, false);
            sum.reset();
            sum.update(buffer, at + 4, filled - at - 4);
            bytes.set(Format.INT, at, (int) sum.getValue());
        } else {
            appendInPieces(group, length);
        }
        drain();
        sequence++;
        if (synced) {
            file.sync();
            if (fresh) {
                disk.syncNames();
            }
        }
        return total;
    }

    private void start(long number) throws IOException {
        // A page that was synced would fault at the next write through mapped memory: dearer than the system call it saves.
        file = synced ? disk.create(FileNames.log(number)) : disk.createLog(FileNames.log(number));
        sequence = 0;
        bytes.set(Format.LONG, 0, number);
        Format.putTail(bytes, 0, Format.LOG_HEAD_BYTES, Format.LOG_MAGIC);
        filled = Format.LOG_HEAD_BYTES;
    }

    /** Goes through the group twice, because the sum stands before what it sums. */
    private void appendInPieces(Write group, long length) throws IOException {
        drain();
        int expected = sumInPieces(group, length, true);
        if (sumInPieces(group, length, false) != expected) {
            throw new IOException("a value was changed while it was written");
        }
    }

    /** The second time it is given the sum, and writes. */
    private int sumInPieces(Write group, long length, boolean onlySum) throws IOException {
        int expected = (int) sum.getValue();
        sum.reset();
        putHead(length);
        bytes.set(Format.INT, 0, expected);
        summed = 4;
        fill(group, onlySum);
        addToSum();
        if (onlySum) {
            filled = 0;
        }
        return (int) sum.getValue();
    }

    private static long lengthOf(Write group) {
        long length = 0;
        for (Write batch = group; batch != null; batch = batch.nextWaiting) {
            for (Write write = batch; write != null; write = write.next) {
                length += Format.WRITE_HEAD_BYTES + write.keyBytes() + write.valueBytes();
            }
        }
        return length;
    }

    private void putHead(long length) {
        bytes.set(Format.INT, filled + 4, (int) length);
        bytes.set(Format.LONG, filled + 8, sequence);
        filled += Format.RECORD_HEAD_BYTES;
    }

    private void fill(Write group, boolean onlySum) throws IOException {
        for (Write batch = group; batch != null; batch = batch.nextWaiting) {
            for (Write write = batch; write != null; write = write.next) {
                if (filled + Format.WRITE_HEAD_BYTES > BUFFER_BYTES) {
                    empty(onlySum);
                }
                bytes.set(Format.INT, filled, (int) write.keyBytes());
                bytes.set(Format.INT, filled + 4, write.value == null ? Format.TOMBSTONE_LENGTH : (int) write.valueBytes());
                filled += Format.WRITE_HEAD_BYTES;
                fill(write.key, onlySum);
                if (write.value != null) {
                    fill(write.value, onlySum);
                }
            }
        }
    }

    private void fill(MemorySegment from, boolean onlySum) throws IOException {
        for (long done = 0; done < from.byteSize();) {
            if (filled == BUFFER_BYTES) {
                empty(onlySum);
            }
            long piece = Math.min(from.byteSize() - done, BUFFER_BYTES - filled);
            MemorySegment.copy(from, done, bytes, filled, piece);
            filled += (int) piece;
            done += piece;
        }
    }

    private void empty(boolean onlySum) throws IOException {
        addToSum();
        summed = 0;
        if (onlySum) {
            filled = 0;
        } else {
            drain();
        }
    }

    private void addToSum() {
        sum.update(buffer, summed, filled - summed);
        summed = filled;
    }

    private void drain() throws IOException {
        file.write(buffer, 0, filled);
        filled = 0;
    }

    /** The next append starts another log. */
    @Override
    public void close() throws IOException {
        if (file != null) {
            file.close();
            file = null;
        }
    }
}
