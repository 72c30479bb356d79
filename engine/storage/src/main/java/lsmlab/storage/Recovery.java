// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/**
 * The way back to a tree, after a clean close or a crash: manifest, tables, logs. Nothing is written before all was read, so an opening
 * that fails has changed nothing but torn ends of logs.
 *
 * @param cut what was cut off the end of logs, in words
 */
record Recovery(Tree tree, long nextNumber, List<String> cut) {

    static Recovery of(Disk disk, Tables tables) throws IOException {
        Events.Recovery event = new Events.Recovery();
        event.begin();
        Set<String> names = disk.list();
        Manifest manifest = manifest(disk, names);
        List<Run<Table>> runs = openRuns(manifest, tables);
        List<Memtable> frozen = new ArrayList<>();
        try {
            MemorySegment stem = stem(runs);
            List<LogReader.Torn> torn = replay(disk, logs(names, manifest), stem, frozen);
            for (LogReader.Torn tail : torn) {
                disk.truncate(tail.name(), tail.length()); // or newer logs would seem to follow a loss
            }
            removeLeftovers(disk, names, manifest);
            List<String> cut = torn.stream().map(LogReader.Torn::inWords).toList();
            long nextNumber = Math.max(manifest.nextNumber(), highest(names) + 1);
            Tree tree = new Tree(new Memtable(nextNumber, stem), List.copyOf(frozen.reversed()), runs);
            event.tables = manifest.tables().size();
            event.logs = frozen.size();
            event.writes = frozen.stream().mapToLong(Memtable::size).sum();
            event.cut = String.join("; ", cut);
            event.commit();
            return new Recovery(tree, nextNumber + 1, cut);
        } catch (IOException | RuntimeException | Error e) {
            runs.forEach(run -> run.tables().forEach(Table::close));
            frozen.forEach(Memtable::close);
            throw e;
        }
    }

    /** A new store gets its manifest before anything else, so that one with tables or logs and without a manifest is damaged. */
    private static Manifest manifest(Disk disk, Set<String> names) throws IOException {
        if (names.contains(FileNames.MANIFEST)) {
            return Manifest.read(disk);
        }
        for (String name : names) {
            if (FileNames.tableNumber(name).isPresent()) {
                TableFile.checkVersion(disk, name);
            }
            if (FileNames.tableNumber(name).isPresent() || FileNames.logNumber(name).isPresent()) {
                throw new CorruptionException(disk.path(FileNames.MANIFEST), 0, "is missing, but there is " + name);
            }
        }
        Manifest empty = new Manifest(List.of(), 1, 1);
        disk.deleteIfExists(FileNames.unfinished(FileNames.MANIFEST));
        empty.write(disk);
        return empty;
    }

    private static List<Run<Table>> openRuns(Manifest manifest, Tables tables) throws IOException {
        Map<Manifest.Place, List<Table>> byPlace = new TreeMap<>();
        try {
            for (Manifest.Placement placement : manifest.tables()) {
                byPlace.computeIfAbsent(placement.place(), _ -> new ArrayList<>()).add(tables.open(placement.table()));
            }
        } catch (IOException | RuntimeException | Error e) {
            byPlace.values().forEach(opened -> opened.forEach(Table::close));
            throw e;
        }
        List<Run<Table>> newestFirst = new ArrayList<>();
        byPlace.forEach((place, opened) -> newestFirst.add(Run.of(place, opened)));
        return List.copyOf(newestFirst);
    }

    /** What the keys of the oldest run begin with. */
    private static MemorySegment stem(List<Run<Table>> runs) {
        return runs.isEmpty() ? MemorySegment.ofArray(new byte[0]) : runs.getLast().span().stem();
    }

    private static TreeSet<Long> logs(Set<String> names, Manifest manifest) {
        return names.stream().flatMap(name -> FileNames.logNumber(name).stream().boxed())
                .filter(number -> number >= manifest.firstLog()).collect(Collectors.toCollection(TreeSet::new));
    }

    /** A memtable for each log that holds writes, oldest first. */
    private static List<LogReader.Torn> replay(Disk disk, TreeSet<Long> logs, MemorySegment stem, List<Memtable> memtables)
            throws IOException {
        List<LogReader.Torn> torn = new ArrayList<>();
        for (long number : logs) {
            Memtable memtable = new Memtable(number, stem);
            memtables.add(memtable);
            Optional<LogReader.Torn> tail = LogReader.replay(disk, number, memtable::put);
            memtable.publish();
            if (!memtable.isEmpty() && !torn.isEmpty()) {
                throw new CorruptionException(disk.path(FileNames.log(number)), 0,
                        "holds writes that are newer than what is missing: %s;%s".formatted(torn.getLast().inWords(), LogReader.WAY_OUT));
            }
            tail.ifPresent(torn::add);
            if (memtable.isEmpty()) {
                memtables.removeLast().close();
            }
        }
        return torn;
    }

    /** What work that a crash ended has left: no file of these was part of the store, or the manifest would name it. */
    private static void removeLeftovers(Disk disk, Set<String> names, Manifest manifest) throws IOException {
        Set<Long> tables = manifest.tables().stream().map(Manifest.Placement::table).collect(Collectors.toSet());
        for (String name : names) {
            boolean unknownTable = FileNames.tableNumber(name).stream().anyMatch(number -> !tables.contains(number));
            boolean flushedLog = FileNames.logNumber(name).stream().anyMatch(number -> number < manifest.firstLog());
            if (unknownTable || flushedLog || FileNames.isUnfinished(name)) {
                disk.deleteIfExists(name);
            }
        }
    }

    private static long highest(Set<String> names) {
        return names.stream().flatMapToLong(name -> LongStream.concat(
                FileNames.tableNumber(name).stream(), FileNames.logNumber(name).stream())).max().orElse(0);
    }
}
