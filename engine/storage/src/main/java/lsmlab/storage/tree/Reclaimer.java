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
import lsmlab.storage.system.Freeable;
import lsmlab.storage.table.Table;

/**
 * Memtables, tables and maps of keys that the tree no longer holds. They are freed when no reader can reach them any more. When slow scans keep too much of
 * them, the oldest scans are ended.
 */
public final class Reclaimer implements Closeable {
    private static final long MOST_MEMORY_BYTES = 64 << 20;
    private static final long MOST_DISK_BYTES = 1 << 30;

    private final Disk disk;
    private final Readers readers;
    private final long mostMemoryBytes;
    private final List<Dropped> dropped = new ArrayList<>(); // GUARDED BY itself
    private final Set<String> undeleted = new TreeSet<>(); // GUARDED BY dropped; files that could not be deleted
    private final LongAdder endedScans = new LongAdder();
    private volatile Tree tree;

    /** Something that the tree no longer holds, with the readers in progress when it was dropped. */
    private static final class Dropped {
        private final Freeable part;
        private final long[] moment;
        private boolean isInUse; // GUARDED BY dropped; a thread still uses its memory, and ending other scans would not free it

        Dropped(Freeable part, long[] moment) {
            this.part = part;
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
        Set<Freeable> kept = after.parts();
        List<Dropped> gone = before.parts().stream().filter(part -> !kept.contains(part)).map(part -> new Dropped(part, moment)).toList();
        tree = after;
        synchronized (dropped) {
            dropped.addAll(gone);
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
        return sum(next -> next.isInUse ? 0 : next.part.memoryBytes()) > mostMemoryBytes
                || sum(next -> next.isInUse ? 0 : next.part.diskBytes()) > Math.max(MOST_DISK_BYTES, tree.tableBytes());
    }

    private boolean keepsSomething(Reader reader) {
        synchronized (dropped) {
            return dropped.stream().anyMatch(next -> !next.isInUse && reader.mayRead(next.part));
        }
    }

    /**
     * A part is forgotten after it was released. For want of memory a release may fail, and it has to wait while somebody writes a value of an
     * ended scan to a channel; the next call repeats it. Two threads may release the same part, which does no harm.
     */
    private boolean letGo() {
        List<Dropped> free = free();
        Set<Long> named = free.isEmpty() ? Set.of() : namedTables();
        for (Dropped next : free) {
            if (isReleased(next.part, named)) {
                forget(next);
            } else {
                setInUse(next);
            }
        }
        synchronized (dropped) {
            return !dropped.isEmpty();
        }
    }

    /** Those that no reader can reach any more. */
    private List<Dropped> free() {
        synchronized (dropped) {
            undeleted.removeIf(this::isDeleted);
            return dropped.stream().filter(next -> !readers.mayRead(next.part, next.moment)).toList();
        }
    }

    private void setInUse(Dropped next) {
        synchronized (dropped) {
            next.isInUse = true;
        }
    }

    /** Allocates nothing. */
    private void forget(Dropped released) {
        synchronized (dropped) {
            for (int i = 0; i < dropped.size(); i++) {
                if (dropped.get(i) == released) {
                    dropped.remove(i);
                    return;
                }
            }
        }
    }

    /** Files that stay: a reload opens the tables of a tree again. */
    private Set<Long> namedTables() {
        return tree.tables().stream().map(Table::number).collect(Collectors.toSet());
    }

    private boolean isReleased(Freeable part, Set<Long> named) {
        boolean closed = part.tryClose();
        if (closed && part instanceof Table table && !named.contains(table.number())) {
            delete(table.name());
        }
        return closed;
    }

    /** Deletes the file now, or later if that fails: a file that stays costs space, which is no reason to stop writes. */
    void delete(String name) {
        if (!isDeleted(name)) {
            synchronized (dropped) {
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
        return sum(next -> next.part.memoryBytes());
    }

    /** Bytes of dropped tables that are still in use. */
    public long diskBytes() {
        return sum(next -> next.part.diskBytes());
    }

    /** Scans that were ended because too much was kept for them. */
    public long endedScans() {
        return endedScans.sum();
    }

    private long sum(ToLongFunction<Dropped> bytes) {
        synchronized (dropped) {
            return dropped.stream().mapToLong(bytes).sum();
        }
    }

    /** REQUIRES: no readers. */
    @Override
    public void close() {
        List<Dropped> all;
        synchronized (dropped) {
            all = List.copyOf(dropped);
            dropped.clear();
        }
        Set<Long> named = namedTables();
        for (Dropped next : all) { // without the lock: this may wait
            next.part.close();
            isReleased(next.part, named);
        }
    }
}
