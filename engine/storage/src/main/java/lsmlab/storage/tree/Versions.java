// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage.tree;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import lsmlab.storage.disk.Disk;
import lsmlab.storage.disk.Faults;
import lsmlab.storage.entries.CorruptionException;
import lsmlab.storage.format.FileNames;
import lsmlab.storage.memtable.Memtable;
import lsmlab.storage.system.Threads;

/**
 * Holds the current tree, lends readers of it and lets threads wait for another. A final failure is recorded here and stops writes until the
 * store is opened again.
 */
public final class Versions implements Closeable {
    private final Disk disk;
    private final Readers readers = new Readers();
    private final AtomicReference<Tree> tree; // a freeze replaces it without a lock: it must not wait for threads that have little processor time
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final AtomicReference<Throwable> failure = new AtomicReference<>(); // set once
    private volatile Throwable trouble; // of flushes; null: there is none

    public Versions(Disk disk, Tree first) {
        this.disk = disk;
        tree = new AtomicReference<>(first);
    }

    /** The tree is held until the reader is given back. */
    public Reader borrow() {
        return readers.borrow();
    }

    public Tree tree() {
        return tree.get();
    }

    public Readers readers() {
        return readers;
    }

    /**
     * Puts an empty memtable of this number in the place of the active one, and returns that. REQUIRES: no write at the same time.
     *
     * @param expected writes that the empty one will take
     */
    public Memtable freeze(long number, int expected) {
        Memtable full = tree().active();
        Memtable empty = full.successor(number, expected);
        try {
            tree.updateAndGet(before -> before.frozen(empty));
        } catch (OutOfMemoryError e) {
            empty.close();
            throw e;
        }
        return full;
    }

    /**
     * Replaces the tree and returns the one before. Repeats until there is memory for it: the caller can't go back. REQUIRES: one caller at a time,
     * except for freezes.
     */
    Tree replace(UnaryOperator<Tree> transition) {
        Tree before;
        Tree after;
        do {
            before = tree();
            after = applied(transition, before);
        } while (!tree.compareAndSet(before, after));
        return before;
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

    /** In the place of the JVM's error: a table that is mapped can't be read. */
    public UncheckedIOException fault(InternalError e) {
        String file = tree().tables().stream().filter(table -> length(table.name()) < table.bytes()).findFirst()
                .map(table -> disk.path(table.name())).orElse("a table of " + disk.path("."));
        CorruptionException damage = Faults.reading(file, e);
        return new UncheckedIOException(damage.getMessage(), damage);
    }

    /** Of a table that may have its unfinished name still. */
    private long length(String name) {
        return Math.max(disk.length(name), disk.length(FileNames.unfinished(name)));
    }

    /** No write is taken any more. Allocates nothing: memory may be what is missing, and writers wait. */
    public void fail(Throwable cause) {
        failure.compareAndSet(null, cause);
        wake();
    }

    /** Says that flushes fail at the moment and are tried again, so no thread should wait for them. Null: that is over. */
    public void flushesAreInTrouble(Throwable cause) {
        trouble = cause;
        wake();
    }

    /** Wakes all waiting threads, which look again. */
    public void wake() {
        lock.lock();
        try {
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Null unless it takes no writes any more, or flushes fail at the moment. */
    public Throwable trouble() {
        return failure() != null ? failure() : trouble;
    }

    /** Null unless it takes no writes any more. */
    Throwable failure() {
        return failure.get();
    }

    public void checkWritable() {
        Throwable cause = failure();
        if (cause != null) {
            // A CorruptionException is wrapped: callers take one as damage of what they asked for.
            boolean isPlain = cause instanceof IOException && !(cause instanceof CorruptionException);
            throw new UncheckedIOException("the store takes no writes since this failed: " + cause, isPlain ? (IOException) cause : new IOException(cause));
        }
    }

    /** Returns when the condition holds, or flushes are in trouble. */
    public void await(Predicate<Tree> until) {
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
    @Override
    public void close() {
        tree().close();
    }
}
