// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage.commit;

import java.io.Closeable;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;
import java.util.zip.CRC32C;
import lsmlab.storage.disk.Disk;
import lsmlab.storage.disk.Faults;
import lsmlab.storage.disk.ModelledDevice;
import lsmlab.storage.format.Checksum;
import lsmlab.storage.format.FileNames;
import lsmlab.storage.format.Format;
import lsmlab.storage.format.StoreIdentity;
import lsmlab.storage.stats.WriteTrace;

/**
 * Writes the log: one file a memtable, one record a commit group ({@link Format}). Each log records the length of the one before it, and each
 * but the newest names the next one, so a log that is cut or missing is noticed. Not safe for several threads.
 *
 * <p>An append that fails leaves the log as it was. If the disk does not allow that, the log takes no more appends.
 */
public final class WriteAheadLog implements Closeable {
    private static final int BUFFER_BYTES = 256 << 10;

    /** Records that a log was begun, so that the opening notices when it is gone. */
    public interface Register {
        /** @param isInLogBefore whether the log before it names it */
        void logBegun(long number, boolean isInLogBefore) throws IOException;
    }

    private final Disk disk;
    private final StoreIdentity store;
    private final boolean synced;
    private final ModelledDevice device;
    private final Register register;
    private final SplittableRandom salts = new SplittableRandom();
    private final byte[] buffer = new byte[BUFFER_BYTES];
    private final MemorySegment bytes = MemorySegment.ofArray(buffer);
    private final CRC32C sum = new CRC32C();
    private int filled;
    private int summed; // how much of the buffer is in the sum of a group that is larger

    private Disk.Output file; // null until the first group of a memtable
    private LogReader.Before before;
    private long number; // these three are of the file
    private long length;
    private long sequence; // of the next record
    private long salt;
    private boolean registered;
    private Disk.Output full; // the log before, until it names this one; or null
    private long saltOfFull;
    private long lengthBefore; // the last append
    private boolean toUndo; // the last append failed and could not be rolled back yet
    private boolean sound = true;

    /**
     * @param device null: none is modelled
     * @param newest log that is there already; its number is 0 if none is
     */
    public WriteAheadLog(Disk disk, ModelledDevice device, StoreIdentity store, boolean synced, LogReader.Before newest, Register register) {
        this.disk = disk;
        this.device = device;
        this.store = store;
        this.synced = synced;
        this.register = register;
        before = newest;
    }

    /** Whether the log can still be appended to: every failed append was rolled back, or can be. */
    public boolean isSound() {
        return sound;
    }

    /**
     * Appends a group to the log of the given number; returns the bytes written.
     *
     * @param trace of the group; null: none
     */
    public long append(long number, Write group, WriteTrace trace) throws IOException {
        finishUndo();
        boolean fresh = file == null;
        if (fresh) {
            begin(number);
        }
        lengthBefore = length;
        try {
            put(group);
            WriteTrace.passed(trace, WriteTrace.Step.LOG);
            sync();
            if (synced) {
                WriteTrace.passed(trace, WriteTrace.Step.SYNC);
            }
            if (!registered) {
                register();
                WriteTrace.passed(trace, WriteTrace.Step.REGISTER);
            }
        } catch (IOException | RuntimeException | Error e) {
            undo();
            throw e;
        }
        return length - (fresh ? 0 : lengthBefore);
    }

    /** Rolls the last append back. If there is no memory or room for that, the next append does it first; after any other failure the log is unsound. */
    public void undo() {
        toUndo = true;
        try {
            finishUndo();
        } catch (IOException | RuntimeException | Error e) {
            sound &= Faults.mayPass(e);
        }
    }

    private void finishUndo() throws IOException {
        if (!toUndo) {
            return;
        }
        filled = 0;
        file.rollBack(lengthBefore);
        if (length > lengthBefore) {
            sync(); // or a power cut would bring back what was refused, where the next log knows nothing of it
            sequence--;
            length = lengthBefore;
        }
        toUndo = false;
    }

    /** WHY the head by itself: so a torn one has nothing behind it. */
    private void begin(long number) throws IOException {
        String name = FileNames.log(number);
        disk.deleteIfExists(name); // a beginning that failed
        // A page that was synced would fault at the next write through mapped memory: dearer than the system call it saves.
        Disk.Output begun = synced ? disk.create(name) : disk.createLog(name);
        try {
            salt = salts.nextLong();
            begun.write(head(number), 0, Format.LOG_HEAD_BYTES);
            if (synced) {
                begun.sync();
                disk.syncNames();
            }
        } catch (IOException | RuntimeException | Error e) {
            begun.close();
            throw e;
        }
        file = begun;
        this.number = number;
        length = Format.LOG_HEAD_BYTES;
        sequence = 0;
        registered = false;
    }

    private byte[] head(long number) {
        byte[] head = new byte[Format.LOG_HEAD_BYTES];
        MemorySegment to = MemorySegment.ofArray(head);
        to.set(Format.LONG, 0, Format.LOG_MAGIC);
        to.set(Format.INT, 8, Format.VERSION);
        to.set(Format.LONG, 16, number);
        to.set(Format.LONG, 24, store.id());
        to.set(Format.LONG, 32, store.generation());
        to.set(Format.LONG, 40, salt);
        to.set(Format.LONG, 48, before.number());
        to.set(Format.LONG, 56, before.length());
        to.set(Format.LONG, 64, before.records());
        to.set(Format.INT, 12, Format.headSum(to));
        return head;
    }

    private void register() throws IOException {
        boolean named = full != null && endFull();
        register.logBegun(number, named);
        registered = true;
    }

    /** Ends the full log with the number of this one. Returns false where that fails; the manifest names this one then. */
    private boolean endFull() {
        try (Disk.Output ended = full) {
            full = null;
            byte[] end = new byte[Format.END_BYTES];
            MemorySegment to = MemorySegment.ofArray(end);
            to.set(Format.INT, 4, Long.BYTES);
            to.set(Format.LONG, 8, Format.END_SEQUENCE);
            to.set(Format.LONG, Format.RECORD_HEAD_BYTES, number);
            to.set(Format.INT, 0, Checksum.of(to, 4, Format.END_BYTES - 4) ^ Format.recordMark(saltOfFull, before.length()));
            ended.write(end, 0, end.length);
            return true;
        } catch (IOException | OutOfMemoryError e) {
            return false;
        }
    }

    private void sync() throws IOException {
        if (synced) {
            try {
                file.sync();
                if (device != null) {
                    device.sync();
                }
            } catch (IOException e) {
                sound = false; // the system may have dropped any of it
                throw e;
            }
        }
    }

    private void put(Write group) throws IOException {
        long writes = lengthOf(group);
        if (Format.RECORD_HEAD_BYTES + writes <= BUFFER_BYTES) {
            putHead(writes);
            fill(group, false);
            sum.reset();
            sum.update(buffer, 4, filled - 4);
            bytes.set(Format.INT, 0, (int) sum.getValue() ^ Format.recordMark(salt, length));
        } else {
            putInPieces(group, writes);
        }
        drain();
        length += Format.RECORD_HEAD_BYTES + writes;
        sequence++;
    }

    /** Goes through the group twice, because the sum stands before what it sums. */
    private void putInPieces(Write group, long writes) throws IOException {
        int expected = sumInPieces(group, writes, true);
        if (sumInPieces(group, writes, false) != expected) {
            throw new IllegalStateException("a value was changed while it was written");
        }
    }

    /** The second time it is given the sum, and writes. */
    private int sumInPieces(Write group, long writes, boolean onlySum) throws IOException {
        int expected = (int) sum.getValue();
        sum.reset();
        putHead(writes);
        bytes.set(Format.INT, 0, expected ^ Format.recordMark(salt, length));
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

    private void putHead(long writes) {
        bytes.set(Format.INT, filled + 4, (int) writes);
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

    /** The memtable is full: the next append begins another log. */
    public void rotate() throws IOException {
        finishUndo();
        if (file != null) {
            LogReader.Before ended = new LogReader.Before(number, length, sequence); // first, because it may fail
            close(full);
            full = file;
            saltOfFull = salt;
            before = ended;
            file = null;
        }
    }

    @Override
    public void close() throws IOException {
        try (Disk.Output _ = full; Disk.Output _ = file) {
            if (sound) {
                finishUndo();
            }
        } finally {
            full = null;
            file = null;
        }
    }

    private static void close(Disk.Output output) throws IOException {
        if (output != null) {
            output.close();
        }
    }
}
