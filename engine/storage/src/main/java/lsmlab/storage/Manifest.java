// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Which tables are the store. It is replaced whole, so that any byte that does not fit is damage and never a torn write.
 *
 * @param tables with the run and the level that each belongs to
 * @param firstLog logs of lower numbers are in tables
 * @param nextNumber higher than that of any file so far
 */
record Manifest(List<Placement> tables, long firstLog, long nextNumber) {

    record Placement(long table, Place place) {}

    /** A run; in the order of recency, newest first. */
    record Place(int level, long run) implements Comparable<Place> {
        private static final Comparator<Place> NEWEST_FIRST =
                Comparator.comparingInt(Place::level).thenComparing(Comparator.comparingLong(Place::run).reversed());

        @Override
        public int compareTo(Place other) {
            return NEWEST_FIRST.compare(this, other);
        }
    }

    static Manifest read(Disk disk) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            return parse(disk.path(FileNames.MANIFEST), disk.map(FileNames.MANIFEST, arena));
        }
    }

    private static Manifest parse(String file, MemorySegment bytes) throws CorruptionException {
        long foot = bytes.byteSize() - Format.MANIFEST_FOOT_BYTES;
        Format.checkTail(file, bytes, foot, Format.MANIFEST_FOOT_BYTES, Format.MANIFEST_MAGIC);
        if (bytes.get(Format.LONG, foot + 16) * Format.MANIFEST_TABLE_BYTES != foot) {
            throw new CorruptionException(file, foot + 16, "does not hold as many tables as it says");
        }
        if (Checksum.of(bytes, 0, foot) != bytes.get(Format.INT, foot + 24)) {
            throw new CorruptionException(file, 0, "is damaged: the sum of its tables does not fit");
        }
        List<Placement> tables = new ArrayList<>();
        for (long at = 0; at < foot; at += Format.MANIFEST_TABLE_BYTES) {
            tables.add(new Placement(bytes.get(Format.LONG, at), new Place(bytes.get(Format.INT, at + 16), bytes.get(Format.LONG, at + 8))));
        }
        return new Manifest(tables, bytes.get(Format.LONG, foot), bytes.get(Format.LONG, foot + 8));
    }

    /** Takes the place of the manifest before; a power cut leaves the one or the other. */
    void write(Disk disk) throws IOException {
        String unfinished = FileNames.unfinished(FileNames.MANIFEST);
        byte[] bytes = bytes();
        try (Disk.Output file = disk.create(unfinished)) {
            file.write(bytes, 0, bytes.length);
            file.sync();
        }
        disk.rename(unfinished, FileNames.MANIFEST);
        disk.syncNames();
    }

    private byte[] bytes() {
        int foot = tables.size() * Format.MANIFEST_TABLE_BYTES;
        byte[] array = new byte[foot + Format.MANIFEST_FOOT_BYTES];
        MemorySegment bytes = MemorySegment.ofArray(array);
        int at = 0;
        for (Placement table : tables) {
            bytes.set(Format.LONG, at, table.table());
            bytes.set(Format.LONG, at + 8, table.place().run());
            bytes.set(Format.INT, at + 16, table.place().level());
            at += Format.MANIFEST_TABLE_BYTES;
        }
        bytes.set(Format.LONG, foot, firstLog);
        bytes.set(Format.LONG, foot + 8, nextNumber);
        bytes.set(Format.LONG, foot + 16, tables.size());
        bytes.set(Format.INT, foot + 24, Checksum.of(bytes, 0, foot));
        Format.putTail(bytes, foot, Format.MANIFEST_FOOT_BYTES, Format.MANIFEST_MAGIC);
        return array;
    }
}
