// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage.tree;

import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import lsmlab.storage.disk.Disk;
import lsmlab.storage.keys.Source;
import lsmlab.storage.table.Table;

/**
 * Memtables and tables that the tree no longer holds. They are freed when no reader can reach them any more. When slow scans keep too much of
 * them, the oldest scans are ended.
 */
public final class Reclaimer implements Closeable {
    private static final long MOST_MEMORY_BYTES = 64 << 20;
    private static final long MOST_DISK_BYTES = 1 << 30;

    private final Disk disk;
    private final Readers readers;
    private final long mostMemoryBytes;
    private final List<Dropped> sources = new ArrayList<>(); // GUARDED BY itself
    private final Set<String> undeleted = new TreeSet<>(); // GUARDED BY sources; files that could not be deleted
    private final LongAdder endedScans = new LongAdder();
    private volatile Tree tree;

    /** Something that the tree no longer holds, with the readers in progress when it was dropped. */
    private static final class Dropped {
        private final Source source;
        private final long[] moment;
        private boolean isInUse; // GUARDED BY sources; a thread still uses its memory, and ending other scans would not free it

        Dropped(Source source, long[] moment) {
            this.source = source;
            this.moment = moment;
        }
    }

    /** @param flushThresholdBytes of which scans may keep two memtables, at least */
    public Reclaimer(Disk disk, Readers readers, Tree tree, long flushThresholdBytes) {
        this.disk = disk;
        this.readers = readers;
        this.tree = tree;
        mostMemoryBytes = Math.max(MOST_MEMORY_BYTES, 2 * flushThresholdBytes);
    }

    /** REQUIRES: one caller at a time, in the order of the trees, and that readers find the new one already. */
    void replaced(Tree before, Tree after) {
        long[] moment = readers.now();
        Set<Source> kept = after.sources();
        List<Dropped> gone = before.sources().stream().filter(source -> !kept.contains(source)).map(source -> new Dropped(source, moment)).toList();
        tree = after;
        synchronized (sources) {
            sources.addAll(gone);
        }
    }

    /**
     * Frees what no reader can reach any more, and ends scans that keep too much; returns whether something is left. Without memory all that is
     * left goes the next time.
     */
    public boolean reclaim() {
        try {
            return reclaimNow();
        } catch (OutOfMemoryError e) {
            return true;
        }
    }

    private boolean reclaimNow() {
        boolean left = letGo();
        while (left && isTooMuch()) {
            Reader.Scanning oldest = readers.oldestScan(this::keepsSomething);
            if (oldest == null) {
                return true;
            }
            if (oldest.end()) {
                endedScans.increment();
            }
            left = letGo();
        }
        return left;
    }

    private boolean isTooMuch() {
        return sum(next -> next.isInUse ? 0 : next.source.memoryBytes()) > mostMemoryBytes
                || sum(next -> next.isInUse ? 0 : next.source.diskBytes()) > Math.max(MOST_DISK_BYTES, tree.tableBytes());
    }

    private boolean keepsSomething(Reader reader) {
        synchronized (sources) {
            return sources.stream().anyMatch(next -> !next.isInUse && reader.mayRead(next.source));
        }
    }

    /**
     * A source is forgotten after it was released. For want of memory a release may fail, and it has to wait while somebody writes a value of an
     * ended scan to a channel; the next call repeats it. Two threads may release the same source, which does no harm.
     */
    private boolean letGo() {
        List<Dropped> free = free();
        Set<Long> named = free.isEmpty() ? Set.of() : namedTables();
        for (Dropped next : free) {
            if (isReleased(next.source, named)) {
                forget(next);
            } else {
                setInUse(next);
            }
        }
        synchronized (sources) {
            return !sources.isEmpty();
        }
    }

    /** Those that no reader can reach any more. */
    private List<Dropped> free() {
        synchronized (sources) {
            undeleted.removeIf(this::isDeleted);
            return sources.stream().filter(next -> !readers.mayRead(next.source, next.moment)).toList();
        }
    }

    private void setInUse(Dropped dropped) {
        synchronized (sources) {
            dropped.isInUse = true;
        }
    }

    /** Allocates nothing. */
    private void forget(Dropped released) {
        synchronized (sources) {
            for (int i = 0; i < sources.size(); i++) {
                if (sources.get(i) == released) {
                    sources.remove(i);
                    return;
                }
            }
        }
    }

    /** Files that stay: a reload opens the tables of a tree again. */
    private Set<Long> namedTables() {
        return tree.tables().stream().map(Table::number).collect(Collectors.toSet());
    }

    private boolean isReleased(Source source, Set<Long> named) {
        boolean closed = source.tryClose();
        if (closed && source instanceof Table table && !named.contains(table.number())) {
            delete(table.name());
        }
        return closed;
    }

    /** Deletes the file now, or later if that fails: a file that stays costs space, which is no reason to stop writes. */
    void delete(String name) {
        if (!isDeleted(name)) {
            synchronized (sources) {
                undeleted.add(name);
            }
        }
    }

    private boolean isDeleted(String name) {
        try {
            disk.deleteIfExists(name);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** Bytes of dropped memtables that are still in use. */
    public long memoryBytes() {
        return sum(dropped -> dropped.source.memoryBytes());
    }

    /** Bytes of dropped tables that are still in use. */
    public long diskBytes() {
        return sum(dropped -> dropped.source.diskBytes());
    }

    /** Scans that were ended because too much was kept for them. */
    public long endedScans() {
        return endedScans.sum();
    }

    private long sum(ToLongFunction<Dropped> bytes) {
        synchronized (sources) {
            return sources.stream().mapToLong(bytes).sum();
        }
    }

    /** REQUIRES: no readers. */
    @Override
    public void close() {
        List<Dropped> all;
        synchronized (sources) {
            all = List.copyOf(sources);
            sources.clear();
        }
        Set<Long> named = namedTables();
        for (Dropped dropped : all) { // without the lock: this may wait
            dropped.source.close();
            isReleased(dropped.source, named);
        }
    }
}
