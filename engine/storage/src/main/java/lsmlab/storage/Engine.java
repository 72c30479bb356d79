// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/**
 * A store of sorted keys in one directory.
 *
 * <p>Any number of threads may call it. Reads take the volatile tree once and no lock. Writes are applied one at a time; when
 * the active memtable is full it is frozen and flushed in the background, and a write that finds both memtables full waits.
 *
 * <p>Durability of this version: a write is on disk once its memtable was flushed, by the threshold, by {@link #flush} or by
 * {@link #close}. What a killed process had only in memory is lost.
 *
 * <p>Segments handed to {@code put} belong to the engine and must not change. Segments handed out stay valid until {@code close}.
 */
public final class Engine implements AutoCloseable {
    public static final long MAX_KEY_BYTES = 64 << 10;
    public static final long MAX_VALUE_BYTES = 64 << 20;

    private final Options options;
    private final Directory directory;
    private final Counters counters = new Counters();
    private final ThreadPoolExecutor flusher = new ThreadPoolExecutor(1, 1, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(),
            Thread.ofPlatform().name("flush").daemon().factory());

    private final ReentrantLock writeLock = new ReentrantLock();
    private final Condition flushEnded = writeLock.newCondition();
    private volatile Tree tree; // replaced under writeLock only
    private Throwable flushFailure; // GUARDED BY writeLock; once set, writes are refused
    private boolean closed; // GUARDED BY writeLock

    private Engine(Options options, Directory directory, List<Table> tables) {
        this.options = options;
        this.directory = directory;
        this.tree = new Tree(new Memtable(), List.of(), List.copyOf(tables));
        flusher.prestartCoreThread(); // now, not when memory is short and writers wait for it
    }

    /** Opens the store in {@code directory}, which is made if it is not there. */
    public static Engine open(Path directory, Options options) throws IOException {
        Directory locked = new Directory(directory);
        try {
            return new Engine(options, locked, locked.openTables());
        } catch (IOException | RuntimeException | Error e) {
            locked.close();
            throw e;
        }
    }

    /** The newest value of the key, or null when there is none. */
    public MemorySegment get(MemorySegment key) {
        Lookup lookup = new Lookup(key);
        MemorySegment value = tree.find(lookup, options.pruning());
        counters.looked(lookup);
        return value == Entry.TOMBSTONE ? null : value;
    }

    /** Sets the value of the key. Waits while two memtables are full. */
    public void put(MemorySegment key, MemorySegment value) {
        if (value.byteSize() > MAX_VALUE_BYTES) {
            throw new IllegalArgumentException("value of %d bytes, the most is %d".formatted(value.byteSize(), MAX_VALUE_BYTES));
        }
        write(key, value);
        counters.puts.increment();
    }

    /** Removes the key; it need not be there. */
    public void delete(MemorySegment key) {
        write(key, Entry.TOMBSTONE);
        counters.deletes.increment();
    }

    private void write(MemorySegment key, MemorySegment value) {
        if (key.byteSize() > MAX_KEY_BYTES) {
            throw new IllegalArgumentException("key of %d bytes, the most is %d".formatted(key.byteSize(), MAX_KEY_BYTES));
        }
        writeLock.lock();
        try {
            makeRoom();
            tree.active().put(key, value);
        } finally {
            writeLock.unlock();
        }
        counters.userBytes.add(key.byteSize() + value.byteSize());
    }

    /** Returns when the active memtable may take a write. REQUIRES: writeLock. */
    private void makeRoom() {
        checkOpen();
        checkFlushes();
        while (tree.active().tableBytes() >= options.flushThresholdBytes()) {
            if (tree.flushing().isEmpty()) {
                freeze();
            } else {
                long start = System.nanoTime();
                flushEnded.awaitUninterruptibly();
                counters.stalled(System.nanoTime() - start);
                checkOpen();
                checkFlushes();
            }
        }
    }

    private void checkOpen() {
        if (closed) {
            throw new IllegalStateException("the store is closed");
        }
    }

    private void checkFlushes() {
        if (flushFailure != null) {
            throw new UncheckedIOException("the store takes no writes since a flush failed: " + flushFailure,
                    flushFailure instanceof IOException e ? e : new IOException(flushFailure));
        }
    }

    /** REQUIRES: writeLock. */
    private void freeze() {
        Memtable full = tree.active();
        tree = tree.frozen();
        flusher.execute(() -> flush(full));
    }

    private void flush(Memtable memtable) {
        try {
            long start = System.nanoTime();
            publish(memtable, directory.writeTable(memtable.scan(null, null)), start);
        } catch (IOException | RuntimeException | Error e) {
            fail(e);
        }
    }

    private void publish(Memtable memtable, Table table, long startNanos) {
        writeLock.lock();
        try {
            tree = tree.flushed(memtable, table);
            counters.flushed(table.bytes(), System.nanoTime() - startNanos);
            flushEnded.signalAll();
        } finally {
            writeLock.unlock();
        }
    }

    /** Allocates nothing: memory may be what is missing, and writers wait. */
    private void fail(Throwable failure) {
        writeLock.lock();
        try {
            flushFailure = failure;
            flushEnded.signalAll();
        } finally {
            writeLock.unlock();
        }
    }

    /** Returns when everything written before the call is in tables. */
    public void flush() {
        writeLock.lock();
        try {
            checkOpen();
            flushAll();
        } finally {
            writeLock.unlock();
        }
    }

    /** REQUIRES: writeLock. */
    private void flushAll() {
        Memtable newest = tree.active();
        awaitFlushed(() -> tree.flushing().isEmpty() || tree.active() != newest);
        if (tree.active() == newest && !newest.isEmpty()) {
            freeze();
        }
        awaitFlushed(() -> !tree.flushing().contains(newest));
    }

    /** REQUIRES: writeLock. */
    private void awaitFlushed(BooleanSupplier flushed) {
        checkFlushes();
        while (!flushed.getAsBoolean()) {
            flushEnded.awaitUninterruptibly();
            checkFlushes();
        }
    }

    /**
     * Entries with from ≤ key < to in ascending order; a null bound is open. The tables are those of the moment of the call;
     * of writes that happen meanwhile to the active memtable, the iteration may show some.
     */
    public Iterator<Entry> scan(MemorySegment from, MemorySegment to) {
        return tree.scan(from, to);
    }

    /** One line: "mem 2 | frozen 0 | tables 3". */
    public String shape() {
        return tree.shape();
    }

    /** What a get of the key asks, in order, one line each: memtables, tables skipped and searched, and the outcome. */
    public List<String> explain(MemorySegment key) {
        List<String> steps = new ArrayList<>();
        MemorySegment value = tree.find(new Lookup(key, steps), options.pruning());
        steps.add(value == null || value == Entry.TOMBSTONE ? "=> no value" : "=> %d bytes".formatted(value.byteSize()));
        return steps;
    }

    public Stats stats() {
        writeLock.lock();
        try {
            Tree now = tree;
            return new Stats(now.shape(), counters.puts.sum(), counters.deletes.sum(), counters.userBytes.sum(), counters.gets.sum(),
                    counters.tablesAsked.sum(), counters.tablesPruned.sum(), counters.probes.sum(),
                    counters.flushes, counters.flushedBytes, counters.flushNanos,
                    counters.stalls, counters.stallNanos, counters.longestStallNanos,
                    now.tables().size(), now.tables().stream().mapToLong(Table::bytes).sum(), now.active().tableBytes());
        } finally {
            writeLock.unlock();
        }
    }

    /**
     * Flushes and releases everything. A second call does nothing, nor does it wait for the first. A flush that fails is reported after
     * all is released.
     */
    @Override
    public void close() throws IOException {
        writeLock.lock();
        try {
            if (closed) {
                return;
            }
            closed = true;
            try {
                flushAll();
            } finally {
                flusher.shutdown();
                release();
            }
        } catch (UncheckedIOException e) {
            throw new IOException(e.getMessage(), e.getCause());
        } finally {
            writeLock.unlock();
        }
    }

    private void release() throws IOException {
        try {
            tree.tables().forEach(Table::close);
        } finally {
            directory.close();
        }
    }
}
