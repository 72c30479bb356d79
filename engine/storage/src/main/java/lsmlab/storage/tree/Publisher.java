// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage.tree;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import lsmlab.storage.compaction.Job;
import lsmlab.storage.disk.Disk;
import lsmlab.storage.disk.DiskFailure;
import lsmlab.storage.disk.Faults;
import lsmlab.storage.format.FileNames;
import lsmlab.storage.format.StoreIdentity;
import lsmlab.storage.memtable.Memtable;
import lsmlab.storage.system.Threads;
import lsmlab.storage.table.Table;
import lsmlab.storage.table.Tables;

/**
 * Publishes what flushes and compactions have written: first in the manifest, then in the tree. Files are deleted when the manifest no
 * longer names them. Gives out the numbers of files. One flush or compaction at a time reaches the manifest.
 */
public final class Publisher {
    private final Disk disk;
    private final StoreIdentity store;
    private final Versions versions;
    private final Reclaimer reclaimer;
    private final AtomicLong nextNumber;
    private final Threads.Step naming = this::name; // made now: when it is needed, there may be no memory for it
    private List<Table> unnamed = List.of(); // GUARDED BY this; the manifest names them, their files may still have unfinished names
    private boolean mayBeNamed; // GUARDED BY this; some of them are named
    private volatile long newestLog; // that was begun; 0: none
    private volatile long newestLogInManifest;

    /**
     * @param logInManifest the newest log that the manifest names
     * @param newestLog that was found
     */
    public Publisher(Disk disk, StoreIdentity store, Versions versions, Reclaimer reclaimer, long logInManifest, long newestLog, long nextNumber) {
        this.disk = disk;
        this.store = store;
        this.versions = versions;
        this.reclaimer = reclaimer;
        newestLogInManifest = logInManifest;
        this.newestLog = Math.max(logInManifest, newestLog);
        this.nextNumber = new AtomicLong(nextNumber);
    }

    /** For a new log, table or memtable. */
    public long newNumber() {
        return nextNumber.getAndIncrement();
    }

    /** Returns when the next opening would find the table. */
    public void flushed(Memtable memtable, Table table) throws IOException {
        publish(before -> before.flushed(memtable, table), List.of(table));
    }

    /** What a flush leaves to be done: the log of the memtable goes, and so does the memtable. */
    public void tidy(Memtable memtable) throws IOException {
        if (newestLog != newestLogInManifest) { // begun meanwhile, and named by the log that is deleted now
            writeManifest();
        }
        reclaimer.delete(FileNames.log(memtable.number));
        reclaimer.reclaim();
    }

    /** Returns when the next opening would find the outputs in the place of the inputs. */
    public void compacted(Job<Table> job, List<Table> outputs) throws IOException {
        publish(before -> before.compacted(job, outputs), outputs);
    }

    /** Returns when the next opening would find the inputs as one run. */
    public void moved(Job<Table> job) throws IOException {
        publish(before -> before.moved(job), List.of());
    }

    /** From now on look-ups ask this map; null: none. The one before can be reclaimed. */
    public synchronized void mapped(Mapping mapping) {
        replace(before -> before.mapped(mapping));
    }

    /** Puts tables that are opened anew in the place of the same tables. */
    public void reload(Tables tables) throws IOException {
        synchronized (this) {
            nameTables();
            List<Table> reopened = tables.reopen(versions.tree().tables());
            replace(before -> before.reloaded(reopened));
        }
        reclaimer.reclaim();
    }

    /** From here on the log would be missed. WHY this order: a flush that ends at the same time looks for a new log after it has changed the tree. */
    public void logBegun(long number, boolean isInLogBefore) throws IOException {
        newestLog = number;
        if (!isInLogBefore || versions.tree().frozen().isEmpty()) {
            writeManifest();
        }
    }

    /** Writes the manifest of the current tree; a store of the version before becomes one of this version. */
    public synchronized void writeManifest() throws IOException {
        write(versions.tree());
    }

    private synchronized void publish(UnaryOperator<Tree> transition, List<Table> published) throws IOException {
        if (versions.failure() instanceof DiskFailure) {
            versions.checkWritable(); // it is not given more
        }
        nameTables();
        // Only a flush or a compaction changes what the manifest says, and this is one; a freeze in between changes nothing there.
        write(transition.apply(versions.tree()));
        unnamed = published;
        try {
            nameTablesIfThereIsRoom();
            replace(transition);
        } catch (IOException | RuntimeException | Error e) {
            throw new DiskFailure(e); // the manifest names them already
        }
    }

    private void nameTablesIfThereIsRoom() throws IOException {
        try {
            nameTables();
        } catch (IOException e) {
            if (!Faults.mayPass(e)) {
                throw e;
            }
            mayBeNamed = true;
        }
    }

    /** Gives the files of published tables their names. Until that is done nothing else is published; an opening finds them by either name. */
    private void nameTables() throws IOException {
        Threads.complete(naming);
        unnamed = List.of();
        mayBeNamed = false;
    }

    private void name(boolean again) throws IOException {
        for (Table table : unnamed) {
            disk.rename(FileNames.unfinished(table.name()), table.name(), again || mayBeNamed);
        }
    }

    /** REQUIRES: the lock. */
    private void write(Tree next) throws IOException {
        long log = newestLog;
        long generation = store.generation() + 1;
        next.manifest(store.id(), generation, log, nextNumber.get()).write(disk);
        store.written(generation);
        newestLogInManifest = log;
    }

    /** WHY the tree may be newer than the one that took the place of {@code before}: a freeze in between drops nothing. REQUIRES: the lock. */
    private void replace(UnaryOperator<Tree> transition) {
        Tree before = versions.replace(transition);
        drop(before, versions.tree());
        versions.wake();
    }

    private void drop(Tree before, Tree after) {
        while (true) {
            try {
                reclaimer.replaced(before, after);
                return;
            } catch (OutOfMemoryError e) {
                Threads.awaitMemory();
            }
        }
    }
}
