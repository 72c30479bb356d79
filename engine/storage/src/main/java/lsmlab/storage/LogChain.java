// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import lsmlab.storage.commit.LogReader;
import lsmlab.storage.disk.Disk;
import lsmlab.storage.entries.CorruptionException;
import lsmlab.storage.format.FileNames;
import lsmlab.storage.memtable.Memtable;
import lsmlab.storage.tree.Manifest;

/**
 * The logs that are not in tables yet, oldest first. Each records the length of the one before it, so only the newest may end early, as after
 * a crash. The newest is named by the log before it and by the manifest, so its loss is noticed, too.
 */
final class LogChain {
    private final Disk disk;
    private final Manifest manifest;

    LogChain(Disk disk, Manifest manifest) {
        this.disk = disk;
        this.manifest = manifest;
    }

    /**
     * Reads the logs of these numbers; what each holds becomes a memtable, unless it holds nothing.
     *
     * @param memtables takes them, oldest first
     */
    List<LogReader.Found> replay(TreeSet<Long> numbers, MemorySegment stem, List<Memtable> memtables) throws IOException {
        List<LogReader.Found> logs = new ArrayList<>();
        for (long number : numbers) {
            Memtable memtable = new Memtable(number, stem);
            memtables.add(memtable);
            LogReader.Found log = LogReader.replay(disk, number, manifest.store(), memtable::put);
            memtable.publish();
            checkManifest(log);
            checkBefore(log, logs.isEmpty() ? null : logs.getLast(), memtable.isEmpty());
            if (log.before() != null && !logs.isEmpty()) {
                logs.add(logs.removeLast().withoutTorn()); // its length and records are as this one says, so only its end mark can be torn
            }
            logs.add(log);
            if (memtable.isEmpty()) {
                memtables.removeLast().close();
            }
        }
        checkNewest(logs);
        return logs;
    }

    /** Whether the newest log is empty and neither the manifest nor another log names it. Without it, the log before is the newest again. */
    boolean isUseless(List<LogReader.Found> logs) {
        LogReader.Found newest = logs.getLast();
        return newest.records() == 0 && newest.number() > manifest.newestLog() && logs.stream().allMatch(log -> log.next() < newest.number());
    }

    private void checkManifest(LogReader.Found log) throws CorruptionException {
        if (log.generation() > manifest.generation()) {
            throw new CorruptionException(disk.path(FileNames.MANIFEST), 0,
                    "is older than %s: put the newer manifest back".formatted(FileNames.log(log.number())));
        }
    }

    private void checkBefore(LogReader.Found log, LogReader.Found last, boolean isEmpty) throws CorruptionException {
        if (log.before() == null) { // of version 2, or torn before its first record
            if (last != null && last.torn() != null && !isEmpty) {
                throw damaged(log.number(), "holds writes that are newer than what is missing: " + last.torn().inWords());
            }
            return;
        }
        LogReader.Before before = log.before();
        boolean hasOneBefore = before.number() >= manifest.firstLog();
        if (hasOneBefore && (last == null || last.number() < before.number())) {
            throw damaged(before.number(), "is missing, and %s follows it".formatted(FileNames.log(log.number())));
        }
        if (last != null && (!hasOneBefore || last.number() != before.number())) {
            throw damaged(last.number(), "is not what %s follows".formatted(FileNames.log(log.number())));
        }
        if (hasOneBefore && (last.length() != before.length() || last.records() != before.records())) {
            throw damaged(last.number(), "has lost its end: %d bytes and %d records are there, %s knows of %d and %d".formatted(
                    last.length(), last.records(), FileNames.log(log.number()), before.length(), before.records()));
        }
    }

    private void checkNewest(List<LogReader.Found> logs) throws CorruptionException {
        long newest = logs.isEmpty() ? 0 : logs.getLast().number();
        for (LogReader.Found log : logs) {
            if (log.next() > newest) {
                throw missing(log.next(), FileNames.log(log.number()) + " says that it follows");
            }
        }
        if (manifest.newestLog() >= manifest.firstLog() && manifest.newestLog() > newest) {
            throw missing(manifest.newestLog(), FileNames.MANIFEST + " says that it is there");
        }
    }

    private CorruptionException damaged(long number, String what) {
        return new CorruptionException(disk.path(FileNames.log(number)), 0, what + ";" + LogReader.WAY_OUT);
    }

    private CorruptionException missing(long number, String named) {
        return new CorruptionException(disk.path(FileNames.log(number)), 0,
                "is missing, and %s; put it back, or an empty file in its place to open the store without its writes".formatted(named));
    }
}
