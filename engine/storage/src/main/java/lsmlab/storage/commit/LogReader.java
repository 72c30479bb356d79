// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage.commit;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import lsmlab.storage.disk.Disk;
import lsmlab.storage.disk.Faults;
import lsmlab.storage.entries.CorruptionException;
import lsmlab.storage.format.Checksum;
import lsmlab.storage.format.FileNames;
import lsmlab.storage.format.Format;

/**
 * Reads one log back. The log ends at a record whose checksum is wrong if no valid record follows: a crash has torn that write. If a valid
 * record follows, the file is damaged.
 */
public final class LogReader {
    /** What takes the writes of a log; a null value is a deletion. The segments live as long as the call. */
    public interface Target {
        void apply(MemorySegment key, MemorySegment value);
    }

    /** WHY: under wal os a power cut may bring later writes to the disk before earlier ones; the user must still be able to open the tables. */
    public static final String WAY_OUT = " move it and the newer logs away to open the store without their writes";
    private static final int NONE = 0;

    /**
     * What a log said of itself.
     *
     * @param before what it says of the log before; null where a log of version 2 says nothing
     * @param length of head and records
     * @param next number of the log that follows, 0 if it does not know of any
     * @param torn what stands behind, to be cut off; null if nothing does
     */
    public record Found(long number, long generation, Before before, long length, long records, long next, Torn torn) {
        public Found withoutTorn() {
            return new Found(number, generation, before, length, records, next, null);
        }
    }

    /** A log as the next one remembers it; number 0 if there was none. */
    public record Before(long number, long length, long records) {}

    /** A torn write at the end of a log: what stands behind {@code length} bytes is to be cut off. */
    public record Torn(String name, long length, String inWords) {}

    private final String name;
    private final String file;
    private final long number;
    private final long store;
    private final Arena arena;
    private final MemorySegment log; // up to the last byte that is not zero
    private final long length;

    private int version = Format.VERSION;
    private long salt;
    private long generation;
    private Before before;

    private LogReader(Disk disk, long number, long store, Arena arena) throws IOException {
        name = FileNames.log(number);
        file = disk.path(name);
        this.number = number;
        this.store = store;
        this.arena = arena;
        Disk.Used used = disk.mapUsed(name, arena);
        log = used.bytes();
        length = used.length();
    }

    /**
     * Applies every write of the log.
     *
     * @param store whose log it has to be
     */
    public static Found replay(Disk disk, long number, long store, Target target) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            return new LogReader(disk, number, store, arena).replay(target);
        } catch (InternalError e) {
            throw Faults.reading(disk.path(FileNames.log(number)), e);
        }
    }

    private Found replay(Target target) throws CorruptionException {
        long sequence = 0;
        long at = readHead();
        if (at == 0) {
            return found(0, 0, NONE, tornAt(0, 0));
        }
        for (MemorySegment record = record(at, sequence); record != null; record = record(at, sequence)) {
            apply(record, target);
            at += record.byteSize();
            sequence++;
        }
        MemorySegment end = version == Format.OLDEST_VERSION ? null : record(at, Format.END_SEQUENCE);
        long next = end == null ? NONE : end.get(Format.LONG, Format.RECORD_HEAD_BYTES);
        return found(at, sequence, next, end == null ? tornAt(at, sequence) : tornAt(at + end.byteSize(), sequence));
    }

    private Found found(long end, long records, long next, Torn torn) {
        return new Found(number, generation, before, end, records, next, torn);
    }

    /** Returns where the records begin; 0 if the head is torn or was never written. */
    private long readHead() throws CorruptionException {
        if (log.byteSize() == 0) {
            return 0;
        }
        boolean isOld = longAt(16) == Format.LOG_MAGIC && longAt(0) != Format.LOG_MAGIC;
        int headLength = isOld ? Format.LOG_HEAD_BYTES_2 : Format.LOG_HEAD_BYTES;
        try {
            if (length < headLength) {
                throw Format.tooShort(file, log);
            }
            if (isOld) {
                checkOldHead();
            } else {
                checkHead();
            }
        } catch (CorruptionException e) {
            boolean isWhole = log.byteSize() > headLength; // nothing is written before the head is
            version = Format.OLDEST_VERSION;
            if (isWhole || longAt(0) == Format.LOG_MAGIC && isOtherVersion() || nextRecord(0, 0) >= 0) {
                throw e;
            }
            return 0;
        }
        return headLength;
    }

    private boolean isOtherVersion() {
        int found = intAt(8);
        return found > 0 && found < 1 << 16 && found != Format.VERSION;
    }

    private void checkOldHead() throws CorruptionException {
        version = Format.OLDEST_VERSION;
        MemorySegment head = zeroExtended(0, Format.LOG_HEAD_BYTES_2);
        int found = head.get(Format.INT, 8);
        if (found != version) {
            throw new CorruptionException(file, 8, "has format version %d, this engine reads %d and %d".formatted(found, version, Format.VERSION));
        }
        Format.checkSum(file, 0, version, head.get(Format.INT, 12) == Checksum.of(head, 0, 12));
        checkNumber(head.get(Format.LONG, 0));
    }

    private void checkHead() throws CorruptionException {
        MemorySegment head = zeroExtended(0, Format.LOG_HEAD_BYTES);
        if (head.get(Format.LONG, 0) != Format.LOG_MAGIC) {
            throw new CorruptionException(file, 0, "does not have the mark of its kind");
        }
        Format.checkSum(file, 8, head.get(Format.INT, 8), head.get(Format.INT, 12) == Format.headSum(head));
        checkNumber(head.get(Format.LONG, 16));
        if (head.get(Format.LONG, 24) != store) {
            throw new CorruptionException(file, 24, "is a log of another store");
        }
        generation = head.get(Format.LONG, 32);
        salt = head.get(Format.LONG, 40);
        before = new Before(head.get(Format.LONG, 48), head.get(Format.LONG, 56), head.get(Format.LONG, 64));
    }

    private void checkNumber(long found) throws CorruptionException {
        if (found != number) {
            throw new CorruptionException(file, 0, "is the log of number " + found);
        }
    }

    /** What stands behind {@code at} and is no record; null if nothing does. */
    private Torn tornAt(long at, long sequence) throws CorruptionException {
        if (at >= log.byteSize()) {
            return null; // the rest is space that was taken ahead, or nothing
        }
        long next = nextRecord(at, sequence);
        if (next >= 0) {
            throw new CorruptionException(file, at, "is damaged: valid records follow, the next at byte %d;%s".formatted(next, WAY_OUT));
        }
        return new Torn(name, at, "%s: %d bytes after byte %d are a torn write, and were cut".formatted(file, length - at, at));
    }

    /** The whole record of that number; null if none stands there. */
    private MemorySegment record(long at, long sequence) {
        if (at + Format.RECORD_HEAD_BYTES > length || longAt(at + 8) != sequence) {
            return null;
        }
        long writes = Integer.toUnsignedLong(intAt(at + 4));
        long end = at + Format.RECORD_HEAD_BYTES + writes;
        if (writes < Format.WRITE_HEAD_BYTES || end > length) {
            return null;
        }
        MemorySegment record = zeroExtended(at, end - at);
        int mark = version == Format.OLDEST_VERSION ? 0 : Format.recordMark(salt, at);
        return (Checksum.of(record, 4, record.byteSize() - 4) ^ mark) == record.get(Format.INT, 0) ? record : null;
    }

    /** Where a later record begins, -1 if nowhere: its number, and since version 3 its sum, distinguish it from bytes of values that look like one. */
    private long nextRecord(long at, long sequence) {
        for (long next = at + 1; next < log.byteSize(); next++) {
            long found = longAt(next + 8);
            long most = sequence + (next - at) / Format.RECORD_HEAD_BYTES + 1;
            boolean mayBe = found >= sequence && found <= most || found == Format.END_SEQUENCE && version != Format.OLDEST_VERSION;
            if (mayBe && record(next, found) != null) {
                return next;
            }
        }
        return -1;
    }

    private int intAt(long at) {
        return at + 4 <= log.byteSize() ? log.get(Format.INT, at) : zeroExtended(at, 4).get(Format.INT, 0);
    }

    private long longAt(long at) {
        return at + 8 <= log.byteSize() ? log.get(Format.LONG, at) : zeroExtended(at, 8).get(Format.LONG, 0);
    }

    /** WHY: a record may end in zeros, which look like zeros that were never written. */
    private MemorySegment zeroExtended(long at, long bytes) {
        if (at + bytes <= log.byteSize()) {
            return log.asSlice(at, bytes);
        }
        MemorySegment copy = arena.allocate(bytes);
        long there = Math.max(0, log.byteSize() - at);
        MemorySegment.copy(log, Math.min(at, log.byteSize()), copy, 0, there);
        return copy;
    }

    private static void apply(MemorySegment record, Target target) {
        for (long at = Format.RECORD_HEAD_BYTES; at < record.byteSize();) {
            long keyLength = record.get(Format.INT, at);
            long valueLength = record.get(Format.INT, at + 4);
            MemorySegment key = record.asSlice(at + Format.WRITE_HEAD_BYTES, keyLength);
            at += Format.WRITE_HEAD_BYTES + keyLength;
            MemorySegment value = null;
            if (valueLength != Format.TOMBSTONE_LENGTH) {
                value = record.asSlice(at, valueLength);
                at += valueLength;
            }
            target.apply(key, value);
        }
    }
}
