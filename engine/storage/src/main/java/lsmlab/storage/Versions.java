// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/**
 * Holds the current tree and replaces it. Memtables and tables that were replaced are freed when no reader uses them any more; files are
 * deleted when the manifest no longer names them. A final failure is recorded here and stops writes until the store is opened again.
 */
final class Versions implements WriteAheadLog.Register {
    private final Disk disk;
    private final StoreIdentity store;
    private final AtomicLong nextNumber;
    private final Readers readers = new Readers();

    private final ReentrantLock publishing = new ReentrantLock(); // one flush or compaction at a time reaches the manifest
    private volatile long newestLog; // that was begun; 0: none
    private volatile long newestLogInManifest;

    private final AtomicReference<Tree> tree; // a freeze replaces it without a lock: it must not wait for threads that have little processor time
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private volatile Throwable failure; // set once
    private volatile Throwable trouble; // of flushes; null: there is none
    private final Dropped dropped;
    private final AtomicLong scans = new AtomicLong();
    private final LongAdder endedScans = new LongAdder();

    Versions(Disk disk, StoreIdentity store, Recovery recovery, long flushThresholdBytes) {
        this.disk = disk;
        this.store = store;
        tree = new AtomicReference<>(recovery.tree());
        nextNumber = new AtomicLong(recovery.nextNumber());
        newestLogInManifest = recovery.manifest().newestLog();
        newestLog = Math.max(newestLogInManifest, recovery.newestLog().number());
        dropped = new Dropped(disk, readers, recovery.tree(), flushThresholdBytes);
    }

    /** The tree is held until the reader is given back. */
    Reader borrow() {
        return readers.borrow();
    }

    Tree tree() {
        return tree.get();
    }

    Readers readers() {
        return readers;
    }

    /** For a new log, table or memtable. */
    long newNumber() {
        return nextNumber.getAndIncrement();
    }

    /** Puts an empty memtable in the place of the active one. REQUIRES: no write at the same time. */
    Memtable freeze() {
        Memtable full = tree().active();
        Memtable empty = new Memtable(newNumber(), full.span().stem());
        try {
            tree.updateAndGet(before -> before.frozen(empty));
        } catch (OutOfMemoryError e) {
            empty.close();
            throw e;
        }
        return full;
    }

    /** Returns when the next opening would find the table. */
    void flushed(Memtable memtable, Table table) throws IOException {
        publish(before -> before.flushed(memtable, table), List.of(table));
    }

    /** What a flush leaves to be done: the log of the memtable goes, and so does the memtable. */
    void tidy(Memtable memtable) throws IOException {
        if (newestLog != newestLogInManifest) { // begun meanwhile, and named by the log that is deleted now
            writeManifest();
        }
        dropped.delete(FileNames.log(memtable.number));
        reclaim();
    }

    /** Returns when the next opening would find the outputs in the place of the inputs. */
    void compacted(Job<Table> job, List<Table> outputs) throws IOException {
        publish(before -> before.compacted(job, outputs), outputs);
    }

    /** Returns when the next opening would find the inputs as one run. */
    void moved(Job<Table> job) throws IOException {
        publish(before -> before.moved(job), List.of());
    }

    /** Puts tables that are opened anew in the place of the same tables. */
    void reload(Tables tables) throws IOException {
        publishing.lock();
        try {
            List<Table> reopened = tables.reopen(tree().tables());
            replace(before -> before.reloaded(reopened));
        } finally {
            publishing.unlock();
        }
        reclaim();
    }

    /** From here on the log would be missed. WHY this order: a flush that ends at the same time looks for a new log after it has changed the tree. */
    @Override
    public void logBegun(long number, boolean isInLogBefore) throws IOException {
        newestLog = number;
        if (!isInLogBefore || tree().frozen().isEmpty()) {
            writeManifest();
        }
    }

    /** The manifest of the tree as it is: a store of the version before gets this one's, too. */
    void writeManifest() throws IOException {
        publishing.lock();
        try {
            write(tree());
        } finally {
            publishing.unlock();
        }
    }

    private void publish(UnaryOperator<Tree> transition, List<Table> published) throws IOException {
        publishing.lock();
        try {
            if (failure instanceof DiskFailure) {
                checkWritable(); // it is not given more
            }
            // Only a flush or a compaction changes what the manifest says, and this is one; a freeze in between changes nothing there.
            write(transition.apply(tree()));
            try {
                for (Table table : published) {
                    disk.rename(FileNames.unfinished(table.name()), table.name());
                }
                replace(transition);
            } catch (IOException | RuntimeException | Error e) {
                throw new DiskFailure(e); // the manifest names them already
            }
        } finally {
            publishing.unlock();
        }
    }

    /** REQUIRES: the publishing lock. */
    private void write(Tree next) throws IOException {
        long log = newestLog;
        long generation = store.generation() + 1;
        next.manifest(store.id(), generation, log, nextNumber.get()).write(disk);
        store.written(generation);
        newestLogInManifest = log;
    }

    /** Repeats until there is memory for it, because the manifest already names the new tree. REQUIRES: the publishing lock. */
    private void replace(UnaryOperator<Tree> transition) {
        Tree before;
        Tree after;
        do {
            before = tree();
            after = applied(transition, before);
        } while (!tree.compareAndSet(before, after));
        drop(before, after);
        wake();
    }

    private static Tree applied(UnaryOperator<Tree> transition, Tree before) {
        while (true) {
            try {
                return transition.apply(before);
            } catch (OutOfMemoryError e) {
                Threads.awaitMemory();
            }
        }
    }

    private void drop(Tree before, Tree after) {
        while (true) {
            try {
                dropped.replaced(before, after);
                return;
            } catch (OutOfMemoryError e) {
                Threads.awaitMemory();
            }
        }
    }

    /** In the place of the JVM's error: a table that is mapped can't be read. */
    UncheckedIOException fault(InternalError e) {
        String file = tree().tables().stream().filter(table -> disk.length(table.name()) < table.bytes()).findFirst()
                .map(table -> disk.path(table.name())).orElse("a table of " + disk.path("."));
        CorruptionException damage = Faults.reading(file, e);
        return new UncheckedIOException(damage.getMessage(), damage);
    }

    /** Frees what no reader can reach any more; returns whether something is still in use. */
    boolean reclaim() {
        return dropped.reclaim();
    }

    Dropped dropped() {
        return dropped;
    }

    /** The entries with from ≤ key &lt; to as they are now. */
    Scan scan(MemorySegment from, MemorySegment to) {
        Reader hold = borrow();
        Scan scan = null;
        try {
            scan = new Scan(scans.incrementAndGet(), this, hold, to);
            Tree now = tree();
            hold.scans(now, scan);
            return scan.over(now.cursor(from));
        } catch (InternalError e) {
            close(scan, hold);
            throw fault(e);
        } catch (RuntimeException | Error e) {
            close(scan, hold);
            throw e;
        }
    }

    private static void close(Scan scan, Reader hold) {
        if (scan == null) {
            hold.giveBack();
        } else {
            scan.close();
        }
    }

    void countEndedScan() {
        endedScans.increment();
    }

    long endedScans() {
        return endedScans.sum();
    }

    /** No write is taken any more. Allocates nothing: memory may be what is missing, and writers wait. */
    void fail(Throwable cause) {
        lock.lock();
        try {
            if (failure == null) {
                failure = cause;
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Says that flushes fail at the moment and are tried again, so no thread should wait for them. Null: that is over. */
    void flushesAreInTrouble(Throwable cause) {
        trouble = cause;
        wake();
    }

    /** Wakes all waiting threads, which look again. */
    void wake() {
        lock.lock();
        try {
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Null unless it takes no writes any more, or flushes fail at the moment. */
    Throwable trouble() {
        return failure != null ? failure : trouble;
    }

    void checkWritable() {
        Throwable cause = failure;
        if (cause != null) {
            // A CorruptionException is wrapped: callers take one as damage of what they asked for.
            boolean isPlain = cause instanceof IOException && !(cause instanceof CorruptionException);
            throw new UncheckedIOException("the store takes no writes since this failed: " + cause, isPlain ? (IOException) cause : new IOException(cause));
        }
    }

    /** Throws unless flushes work. */
    void checkFlushes() {
        checkWritable();
        Throwable cause = trouble;
        if (cause != null) {
            throw new WriteRefusedException(cause);
        }
    }

    /** Waits until the condition holds; throws when that has to wait for trouble to end. */
    void require(Predicate<Tree> condition) {
        while (!condition.test(tree())) {
            await(condition);
            if (!condition.test(tree())) {
                checkFlushes(); // or the trouble is over by now, and there is more to wait for
            }
        }
    }

    /** Waits for another tree, or trouble, until the condition holds. */
    private void await(Predicate<Tree> until) {
        lock.lock();
        try {
            while (trouble() == null && !until.test(tree())) {
                changed.awaitUninterruptibly();
            }
        } finally {
            lock.unlock();
        }
    }

    /** REQUIRES: no reads or writes in progress; later ones get an {@link IllegalStateException}. */
    void close() {
        Tree last = tree();
        last.active().close();
        last.frozen().forEach(Memtable::close);
        last.tables().forEach(Table::close);
        dropped.close();
    }
}
