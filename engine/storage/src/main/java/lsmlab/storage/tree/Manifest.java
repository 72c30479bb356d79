// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage.tree;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import lsmlab.storage.compaction.Place;
import lsmlab.storage.disk.Disk;
import lsmlab.storage.disk.DiskFailure;
import lsmlab.storage.disk.Faults;
import lsmlab.storage.entries.CorruptionException;
import lsmlab.storage.format.Checksum;
import lsmlab.storage.format.FileNames;
import lsmlab.storage.format.Format;
import lsmlab.storage.system.Threads;

/**
 * The list of tables that make up the store. It is always replaced as a whole, so a bad byte in it is damage, never a torn write.
 *
 * @param store identity that all files of the store hold
 * @param generation one more than that of the manifest before
 * @param newestLog number of the newest log that was begun, in tables by now or not; 0 if none was
 * @param tables with the run and the level that each belongs to
 * @param firstLog logs of lower numbers are in tables
 * @param nextNumber higher than that of any file so far
 */
public record Manifest(int version, long store, long generation, long newestLog, List<Placement> tables, long firstLog, long nextNumber) {

    public record Placement(long table, Place place) {}

    public static Manifest read(Disk disk) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            return parse(disk.path(FileNames.MANIFEST), disk.map(FileNames.MANIFEST, arena));
        } catch (InternalError e) {
            throw Faults.reading(disk.path(FileNames.MANIFEST), e);
        }
    }

    /** That of a store which does not exist yet. */
    public static Manifest first(long store) {
        return new Manifest(Format.VERSION, store, 1, 0, List.of(), 1, 1);
    }

    private static Manifest parse(String file, MemorySegment bytes) throws CorruptionException {
        int version = Format.checkTail(file, bytes, Format.MANIFEST_FOOT_BYTES, Format.MANIFEST_ORIGIN_BYTES, Format.MANIFEST_MAGIC);
        boolean isOld = version == Format.OLDEST_VERSION;
        long foot = bytes.byteSize() - Format.MANIFEST_FOOT_BYTES;
        long origin = foot - Format.MANIFEST_ORIGIN_BYTES;
        long end = isOld ? foot : origin;
        if (bytes.get(Format.LONG, foot + 16) * Format.MANIFEST_TABLE_BYTES != end) {
            throw new CorruptionException(file, foot + 16, "does not hold as many tables as it says");
        }
        if (Checksum.of(bytes, 0, end) != bytes.get(Format.INT, foot + 24)) {
            throw new CorruptionException(file, 0, "is damaged: the sum of its tables does not fit");
        }
        List<Placement> tables = new ArrayList<>();
        for (long at = 0; at < end; at += Format.MANIFEST_TABLE_BYTES) {
            tables.add(new Placement(bytes.get(Format.LONG, at), new Place(bytes.get(Format.INT, at + 16), bytes.get(Format.LONG, at + 8))));
        }
        long firstLog = bytes.get(Format.LONG, foot);
        long nextNumber = bytes.get(Format.LONG, foot + 8);
        return isOld ? new Manifest(version, 0, 0, 0, tables, firstLog, nextNumber)
                : new Manifest(version, bytes.get(Format.LONG, origin), bytes.get(Format.LONG, origin + 8), bytes.get(Format.LONG, origin + 16),
                        tables, firstLog, nextNumber);
    }

    /** One of version 2, whose store has no identity, with one. */
    public Manifest withStore(long store) {
        return new Manifest(version, store, generation, newestLog, tables, firstLog, nextNumber);
    }

    public boolean isOld() {
        return version == Format.OLDEST_VERSION;
    }

    /** Numbers from here on were never given out. */
    public long endOfNumbers() {
        return nextNumber + Format.NUMBERS_AHEAD;
    }

    /** Takes the place of the manifest before; a power cut leaves the one or the other. */
    public void write(Disk disk) throws IOException {
        String unfinished = FileNames.unfinished(FileNames.MANIFEST);
        byte[] bytes = bytes();
        Threads.Step takePlace = again -> {
            disk.rename(unfinished, FileNames.MANIFEST, again);
            disk.syncNames();
        };
        disk.deleteIfExists(unfinished); // of one that could not be written
        try (Disk.Output file = disk.create(unfinished)) {
            file.write(bytes, 0, bytes.length);
            file.sync();
        }
        try {
            Threads.complete(takePlace);
        } catch (IOException | RuntimeException | Error e) {
            if (Faults.mayPass(e) && disk.length(unfinished) >= 0) {
                throw e; // the one before is still in its place
            }
            throw new DiskFailure(e); // which of the two a power cut would leave is not known
        }
    }

    private byte[] bytes() {
        int origin = tables.size() * Format.MANIFEST_TABLE_BYTES;
        int foot = origin + Format.MANIFEST_ORIGIN_BYTES;
        byte[] array = new byte[foot + Format.MANIFEST_FOOT_BYTES];
        MemorySegment bytes = MemorySegment.ofArray(array);
        int at = 0;
        for (Placement table : tables) {
            bytes.set(Format.LONG, at, table.table());
            bytes.set(Format.LONG, at + 8, table.place().run());
            bytes.set(Format.INT, at + 16, table.place().level());
            at += Format.MANIFEST_TABLE_BYTES;
        }
        bytes.set(Format.LONG, origin, store);
        bytes.set(Format.LONG, origin + 8, generation);
        bytes.set(Format.LONG, origin + 16, newestLog);
        bytes.set(Format.LONG, foot, firstLog);
        bytes.set(Format.LONG, foot + 8, nextNumber);
        bytes.set(Format.LONG, foot + 16, tables.size());
        bytes.set(Format.INT, foot + 24, Checksum.of(bytes, 0, origin));
        Format.putTail(bytes, origin, Format.MANIFEST_ORIGIN_BYTES + Format.MANIFEST_FOOT_BYTES, Format.MANIFEST_MAGIC);
        return array;
    }
}
