// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Optional;

/**
 * Reads one log back. A record that does not fit its sum is a torn write when nothing valid follows it, as a crash leaves it: the log
 * ends there. When a valid record follows, the file is damaged.
 */
final class LogReader {
    /** What takes the writes of a log; a null value is a deletion. The segments live as long as the call. */
    interface Target {
        void apply(MemorySegment key, MemorySegment value);
    }

    /** WHY: under wal os a power cut may bring later writes to the disk before earlier ones; a user must get at the tables. */
    static final String WAY_OUT = " move it and the newer logs away to open the store without their writes";

    private final String file;
    private final MemorySegment log;
    private final long number;

    private LogReader(String file, MemorySegment log, long number) {
        this.file = file;
        this.log = log;
        this.number = number;
    }

    /** A torn write at the end of a log: what stands behind {@code length} bytes is to be cut off. */
    record Torn(String name, long length, String inWords) {}

    /** Applies every write of the log; returns what is torn at its end, if anything is. */
    static Optional<Torn> replay(Disk disk, long number, Target target) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            String name = FileNames.log(number);
            return new LogReader(disk.path(name), disk.map(name, arena), number).replay(target);
        }
    }

    private Optional<Torn> replay(Target target) throws CorruptionException {
        if (isUnused(0)) {
            return Optional.empty();
        }
        long at = Format.LOG_HEAD_BYTES;
        long sequence = 0;
        if (headFits(at)) {
            for (; isRecord(at, sequence); at = end(at)) {
                apply(at, target);
                sequence++;
            }
        } else {
            at = 0;
        }
        if (isUnused(at)) {
            return Optional.empty();
        }
        long next = nextRecord(at, sequence);
        if (next >= 0) {
            throw new CorruptionException(file, at, "is damaged: valid records follow, the next at byte %d;%s".formatted(next, WAY_OUT));
        }
        return Optional.of(new Torn(FileNames.log(number), at,
                "%s: %d bytes after byte %d are a torn write, and were cut".formatted(file, log.byteSize() - at, at)));
    }

    /** Whether the rest is space that was taken ahead ({@link Disk#createLog}), or nothing. */
    private boolean isUnused(long at) {
        MemorySegment rest = log.asSlice(at);
        return rest.byteSize() == 0 || rest.get(ValueLayout.JAVA_BYTE, 0) == 0
                && MemorySegment.mismatch(rest, 0, rest.byteSize() - 1, rest, 1, rest.byteSize()) < 0;
    }

    /** A head that does not fit is a torn write, too, as long as no record follows. */
    private boolean headFits(long length) throws CorruptionException {
        if (log.byteSize() < length) {
            return false;
        }
        try {
            Format.checkTail(file, log, 0, Format.LOG_HEAD_BYTES, Format.LOG_MAGIC);
        } catch (CorruptionException e) {
            if (nextRecord(0, 0) >= 0) {
                throw e;
            }
            return false;
        }
        if (log.get(Format.LONG, 0) != number) {
            throw new CorruptionException(file, 0, "is the log of number " + log.get(Format.LONG, 0));
        }
        return true;
    }

    private boolean isRecord(long at, long sequence) {
        if (at + Format.RECORD_HEAD_BYTES > log.byteSize() || log.get(Format.LONG, at + 8) != sequence) {
            return false;
        }
        long length = Integer.toUnsignedLong(log.get(Format.INT, at + 4));
        return length >= Format.WRITE_HEAD_BYTES && at + Format.RECORD_HEAD_BYTES + length <= log.byteSize()
                && Checksum.of(log, at + 4, Format.RECORD_HEAD_BYTES - 4 + length) == log.get(Format.INT, at);
    }

    private long end(long at) {
        return at + Format.RECORD_HEAD_BYTES + Integer.toUnsignedLong(log.get(Format.INT, at + 4));
    }

    /** Where a later record begins, -1 if nowhere: its number tells it from bytes of values that look like one. */
    private long nextRecord(long at, long sequence) {
        for (long next = at + 1; next + Format.RECORD_HEAD_BYTES <= log.byteSize(); next++) {
            long found = log.get(Format.LONG, next + 8);
            long most = sequence + (next - at) / Format.RECORD_HEAD_BYTES + 1;
            if (found >= sequence && found <= most && isRecord(next, found)) {
                return next;
            }
        }
        return -1;
    }

    private void apply(long record, Target target) {
        long end = end(record);
        for (long at = record + Format.RECORD_HEAD_BYTES; at < end;) {
            long keyLength = log.get(Format.INT, at);
            long valueLength = log.get(Format.INT, at + 4);
            MemorySegment key = log.asSlice(at + Format.WRITE_HEAD_BYTES, keyLength);
            at += Format.WRITE_HEAD_BYTES + keyLength;
            MemorySegment value = null;
            if (valueLength != Format.TOMBSTONE_LENGTH) {
                value = log.asSlice(at, valueLength);
                at += valueLength;
            }
            target.apply(key, value);
        }
    }
}
