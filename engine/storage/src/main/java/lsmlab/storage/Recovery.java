// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import lsmlab.storage.commit.LogReader;
import lsmlab.storage.compaction.Place;
import lsmlab.storage.compaction.Run;
import lsmlab.storage.counters.Events;
import lsmlab.storage.disk.Disk;
import lsmlab.storage.entries.CorruptionException;
import lsmlab.storage.format.FileNames;
import lsmlab.storage.memtable.Memtable;
import lsmlab.storage.table.Table;
import lsmlab.storage.table.TableFile;
import lsmlab.storage.table.Tables;
import lsmlab.storage.tree.Manifest;
import lsmlab.storage.tree.Tree;

/**
 * Builds the tree of a store that is opened, after a clean close or a crash, from manifest, tables and logs. It writes nothing before it has
 * read everything, except that it renames tables that the manifest names and a crash left unrenamed. So an opening that fails changes nothing
 * else.
 *
 * @param newestLog number, length and records of the newest log, which the head of the next log repeats; its number is 0 if there is none
 * @param cut what was cut off the end of logs, in words
 */
record Recovery(Tree tree, long nextNumber, LogReader.Before newestLog, List<String> cut) {

    static Recovery of(Disk disk, Manifest manifest, Tables tables) throws IOException {
        Events.Recovery event = new Events.Recovery();
        event.begin();
        Set<String> names = disk.list();
        checkNumbers(disk, names, manifest);
        nameTables(disk, names, manifest);
        Set<String> leftovers = leftovers(disk, names, manifest);
        List<Run<Table>> runs = openRuns(manifest, tables);
        List<Memtable> frozen = new ArrayList<>();
        try {
            MemorySegment stem = stem(runs);
            LogChain chain = new LogChain(disk, manifest);
            List<LogReader.Found> logs = chain.replay(logs(names, manifest), stem, frozen);
            if (!logs.isEmpty() && chain.isUseless(logs)) {
                leftovers.add(FileNames.log(logs.removeLast().number()));
            }
            List<String> cut = new ArrayList<>(); // of the newest log, mostly: of an older one only the mark of its end can be torn
            for (LogReader.Found log : logs) {
                if (log.torn() != null) {
                    disk.truncate(log.torn().name(), log.torn().length()); // or newer logs would seem to follow a loss
                    cut.add(log.torn().inWords());
                } else {
                    disk.sync(FileNames.log(log.number())); // the next log may be on the disk already, and must not be there without this one
                }
            }
            for (String name : leftovers) {
                disk.deleteIfExists(name);
            }
            long nextNumber = Math.max(manifest.nextNumber(), Math.max(highest(names), highest(disk.folders(), manifest)) + 1);
            Tree tree = new Tree(new Memtable(nextNumber, stem), List.copyOf(frozen.reversed()), runs, null);
            event.tables = manifest.tables().size();
            event.logs = frozen.size();
            event.writes = frozen.stream().mapToLong(Memtable::size).sum();
            event.cut = String.join("; ", cut);
            event.commit();
            return new Recovery(tree, nextNumber + 1, newest(logs), List.copyOf(cut));
        } catch (IOException | RuntimeException | Error e) {
            runs.forEach(run -> run.tables().forEach(Table::close));
            frozen.forEach(Memtable::close);
            throw e;
        }
    }

    /** A new store gets its manifest before anything else, so that one with tables or logs and without a manifest is damaged. */
    static Manifest manifest(Disk disk) throws IOException {
        Set<String> names = disk.list();
        if (names.contains(FileNames.MANIFEST)) {
            Manifest manifest = Manifest.read(disk);
            return manifest.isOld() ? manifest.withStore(new SplittableRandom().nextLong()) : manifest;
        }
        for (String name : names) {
            if (FileNames.tableNumber(name) > 0) {
                TableFile.checkVersion(disk, name);
            }
            if (number(name) > 0) {
                throw new CorruptionException(disk.path(FileNames.MANIFEST), 0, "is missing, but there is " + name);
            }
        }
        Manifest first = Manifest.first(new SplittableRandom().nextLong());
        first.write(disk);
        return first;
    }

    /** WHY: a file whose number is far beyond the others would shift the numbers of all that follow. */
    private static void checkNumbers(Disk disk, Set<String> names, Manifest manifest) throws CorruptionException {
        for (String name : names) {
            if (number(name) >= manifest.endOfNumbers()) {
                throw new CorruptionException(disk.path(name), 0,
                        "is not of this store, which has given out numbers up to %d: move it away".formatted(manifest.nextNumber() - 1));
            }
        }
    }

    /** A crash may come between the manifest and the name of a table that it names. */
    private static void nameTables(Disk disk, Set<String> names, Manifest manifest) throws IOException {
        for (Manifest.Placement placement : manifest.tables()) {
            String name = FileNames.table(placement.table());
            String unfinished = FileNames.unfinished(name);
            if (!names.contains(name) && names.remove(unfinished)) {
                disk.rename(unfinished, name);
                names.add(name);
            }
        }
    }

    /**
     * What work that a crash ended has left. A table gets its final name only after a manifest has named it. If this manifest does not name it, a
     * merge has replaced it. If it is newer than this manifest, the manifest itself is out of date.
     */
    private static Set<String> leftovers(Disk disk, Set<String> names, Manifest manifest) throws IOException {
        Set<Long> tables = manifest.tables().stream().map(Manifest.Placement::table).collect(Collectors.toSet());
        Set<String> leftovers = new TreeSet<>();
        for (String name : names) {
            long table = FileNames.tableNumber(name);
            long log = FileNames.logNumber(name);
            boolean unknownTable = table != 0 && !tables.contains(table);
            if (unknownTable) {
                long generation = TableFile.Origin.of(disk, table, manifest.store()).generation();
                if (!manifest.isOld() && generation >= manifest.generation()) {
                    throw new CorruptionException(disk.path(FileNames.MANIFEST), 0,
                            "is older than %s, which it does not name: put the newer manifest back".formatted(name));
                }
            }
            if (unknownTable || log > 0 && log < manifest.firstLog() || FileNames.isUnfinished(name)) {
                leftovers.add(name);
            }
        }
        return leftovers;
    }

    private static List<Run<Table>> openRuns(Manifest manifest, Tables tables) throws IOException {
        Map<Place, List<Table>> byPlace = new TreeMap<>();
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
        return names.stream().map(FileNames::logNumber).filter(number -> number >= manifest.firstLog()).collect(Collectors.toCollection(TreeSet::new));
    }

    private static LogReader.Before newest(List<LogReader.Found> logs) {
        if (logs.isEmpty()) {
            return new LogReader.Before(0, 0, 0);
        }
        LogReader.Found newest = logs.getLast();
        return new LogReader.Before(newest.number(), newest.length(), newest.records());
    }

    /** The highest number among folders that have the name of a table; 0 without any. */
    private static long highest(Set<String> folders, Manifest manifest) {
        return folders.stream().mapToLong(name -> FileNames.tableNumber(name.replace(FileNames.UNFINISHED_ENDING, "")))
                .filter(number -> number < manifest.endOfNumbers()).max().orElse(0);
    }

    private static long highest(Set<String> names) {
        return names.stream().mapToLong(Recovery::number).max().orElse(0);
    }

    /** Of a table or a log; 0 if it is the name of neither. */
    private static long number(String name) {
        return Math.max(FileNames.tableNumber(name), FileNames.logNumber(name));
    }
}
