// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * The current tree, how it is replaced, and what happens to that which it no longer holds: memtables and tables go when nobody reads
 * them any more, files when they are not in the manifest. A failure of background work is kept here, and stops writes for good.
 */
final class Versions {
    private final Disk disk;
    private final AtomicLong nextNumber;
    private final Readers readers = new Readers();

    private final ReentrantLock publishing = new ReentrantLock(); // one flush or compaction at a time reaches the manifest
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private volatile Tree tree; // replaced under lock only
    private volatile Throwable failure; // set once
    private final List<Dropped> dropped = new ArrayList<>(); // GUARDED BY lock

    /** Something that the tree no longer holds, and who was reading when it was dropped. */
    private record Dropped(Object source, long[] moment) {}

    Versions(Disk disk, Tree tree, long nextNumber) {
        this.disk = disk;
        this.tree = tree;
        this.nextNumber = new AtomicLong(nextNumber);
    }

    /** The tree is held until the lookup is given back. */
    Lookup borrow() {
        return readers.borrow();
    }

    Tree tree() {
        return tree;
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
        Memtable full = tree.active();
        MemorySegment stem = full.span().stem();
        replace(before -> before.frozen(new Memtable(newNumber(), stem)));
        return full;
    }

    /** Returns when the next opening would find the table; the log of the memtable is then gone. */
    void flushed(Memtable memtable, Table table) throws IOException {
        publish(before -> before.flushed(memtable, table));
        disk.deleteIfExists(FileNames.log(memtable.number));
    }

    /** Returns when the next opening would find the outputs in the place of the inputs. */
    void compacted(Job<Table> job, List<Table> outputs) throws IOException {
        publish(before -> before.compacted(job, outputs));
    }

    /** Returns when the next opening would find the inputs as one run. */
    void moved(Job<Table> job) throws IOException {
        publish(before -> before.moved(job));
    }

    /** Puts tables that are opened anew in the place of the same tables. */
    void reload(Tables tables) throws IOException {
        publishing.lock();
        try {
            List<Table> reopened = tables.reopen(tree.tables());
            replace(before -> before.reloaded(reopened));
        } finally {
            publishing.unlock();
        }
        reclaim();
    }

    private void publish(UnaryOperator<Tree> transition) throws IOException {
        publishing.lock();
        try {
            // Only a flush or a compaction changes what the manifest says, and this is one; a freeze in between changes nothing there.
            transition.apply(tree).manifest(nextNumber.get()).write(disk);
            replace(transition);
        } finally {
            publishing.unlock();
        }
        reclaim();
    }

    private void replace(UnaryOperator<Tree> transition) {
        lock.lock();
        try {
            Tree before = tree;
            Tree after = transition.apply(before);
            tree = after;
            if (after.runs() != before.runs()) { // a freeze drops nothing
                long[] moment = readers.now();
                Set<Object> kept = after.sources();
                before.sources().stream().filter(source -> !kept.contains(source)).forEach(source -> dropped.add(new Dropped(source, moment)));
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Lets go what nobody reads any more; returns whether something is still read. */
    boolean reclaim() {
        List<Object> free = new ArrayList<>();
        boolean left;
        lock.lock();
        try {
            for (Iterator<Dropped> all = dropped.iterator(); all.hasNext();) {
                Dropped next = all.next();
                if (!readers.mayRead(next.source(), next.moment())) {
                    free.add(next.source());
                    all.remove();
                }
            }
            left = !dropped.isEmpty();
        } finally {
            lock.unlock();
        }
        release(free);
        return left;
    }

    private void release(List<Object> sources) {
        if (sources.isEmpty()) {
            return;
        }
        Set<Long> named = tree.tables().stream().map(Table::number).collect(Collectors.toSet()); // a reload opens the same files again
        for (Object source : sources) {
            if (source instanceof Memtable memtable) {
                memtable.close();
            } else if (source instanceof Table table) {
                table.close();
                if (!named.contains(table.number())) {
                    delete(table);
                }
            }
        }
    }

    private void delete(Table table) {
        try {
            disk.deleteIfExists(table.name());
        } catch (IOException e) {
            fail(e); // the next opening removes it
        }
    }

    /** Tables that are no longer the store's but are still read, in bytes. */
    long unreclaimedBytes() {
        lock.lock();
        try {
            return dropped.stream().mapToLong(next -> next.source() instanceof Table table ? table.bytes() : 0).sum();
        } finally {
            lock.unlock();
        }
    }

    /** Allocates nothing: memory may be what is missing, and writers wait. */
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

    /** Whoever waits looks again. */
    void wake() {
        lock.lock();
        try {
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    boolean isWritable() {
        return failure == null;
    }

    void checkWritable() {
        Throwable cause = failure;
        if (cause != null) {
            throw new UncheckedIOException("the store takes no writes since this failed: " + cause,
                    cause instanceof IOException e ? e : new IOException(cause));
        }
    }

    /** Waits for another tree, or a failure, until the condition holds. */
    void await(Predicate<Tree> until) {
        lock.lock();
        try {
            while (failure == null && !until.test(tree)) {
                changed.awaitUninterruptibly();
            }
        } finally {
            lock.unlock();
        }
    }

    /** REQUIRES: nobody reads or writes any more; whoever still does gets an {@link IllegalStateException}. */
    void close() {
        lock.lock();
        try {
            tree.active().close();
            tree.frozen().forEach(Memtable::close);
            tree.tables().forEach(Table::close);
            release(dropped.stream().map(Dropped::source).toList());
            dropped.clear();
        } finally {
            lock.unlock();
        }
    }
}
