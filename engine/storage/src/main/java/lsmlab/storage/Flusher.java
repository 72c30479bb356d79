// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import java.io.Closeable;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import lsmlab.storage.counters.Counters;
import lsmlab.storage.counters.Events;
import lsmlab.storage.disk.Faults;
import lsmlab.storage.keys.Cursor;
import lsmlab.storage.memtable.Memtable;
import lsmlab.storage.options.Reload;
import lsmlab.storage.system.BackgroundThreads;
import lsmlab.storage.system.ReadAhead;
import lsmlab.storage.system.Threads;
import lsmlab.storage.table.Table;
import lsmlab.storage.table.Tables;
import lsmlab.storage.tree.Publisher;
import lsmlab.storage.tree.Versions;

/** Writes frozen memtables as tables, several at a time if there are several threads, and publishes them oldest first. */
final class Flusher implements Closeable {
    private static final long FIRST_PAUSE_NANOS = 50_000_000;
    private static final long LONGEST_PAUSE_NANOS = 400_000_000;

    private final Versions versions;
    private final Publisher publisher;
    private final Tables tables;
    private final Counters counters;
    private final Runnable afterPublish;
    private final ThreadPoolExecutor threads;
    private final Queue<Memtable> unpublished = new ConcurrentLinkedQueue<>(); // oldest first
    private final Queue<Memtable> published = new ArrayDeque<>(); // GUARDED BY written; what they leave is not tidied up yet
    private final Map<Memtable, Table> written = new HashMap<>(); // GUARDED BY itself
    private volatile Thread retrying; // the last that waited before another try; null: none did
    private volatile boolean closing;

    /** @param afterPublish called after each table that was published */
    Flusher(Versions versions, Publisher publisher, Tables tables, Counters counters, Runnable afterPublish) {
        this.versions = versions;
        this.publisher = publisher;
        this.tables = tables;
        this.counters = counters;
        this.afterPublish = afterPublish;
        int count = tables.options().flushThreads();
        threads = new ThreadPoolExecutor(count, count, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(),
                BackgroundThreads.named(Thread.ofPlatform().name("flush-", 1).daemon()));
    }

    /** Now, not when memory is short and writers wait for flushes. */
    void start() {
        threads.prestartAllCoreThreads();
        Faults.mayPass(new OutOfMemoryError()); // loads its class
        ReadAhead.begin(MemorySegment.NULL, 0, 0); // as well
    }

    /** May be called again after an OutOfMemoryError. REQUIRES: calls in the order of freezing. */
    void submit(Memtable frozen) {
        if (!unpublished.contains(frozen)) {
            unpublished.add(frozen);
        }
        Threads.Call<Table> write = () -> write(frozen);
        Threads.Call<Void> publish = () -> {
            publish();
            return null;
        };
        threads.execute(() -> flush(frozen, write, publish));
    }

    /** Allocates nothing outside of what is tried again: a lack of memory here would end the store. */
    private void flush(Memtable memtable, Threads.Call<Table> write, Threads.Call<Void> publish) {
        try {
            keep(memtable, untilDone(write));
            untilDone(publish);
        } catch (IOException | RuntimeException | Error e) {
            versions.fail(e);
        }
    }

    private void keep(Memtable memtable, Table table) {
        while (true) {
            try {
                synchronized (written) {
                    written.put(memtable, table);
                }
                return;
            } catch (OutOfMemoryError e) {
                Threads.awaitMemory();
            }
        }
    }

    /** What fails for want of room, descriptors or memory is tried again until there is some, or the store is closed. */
    private <T> T untilDone(Threads.Call<T> work) throws IOException {
        boolean failed = false;
        for (long pauseNanos = FIRST_PAUSE_NANOS;; pauseNanos = Math.min(2 * pauseNanos, LONGEST_PAUSE_NANOS)) {
            try {
                T done = work.run();
                if (failed) {
                    versions.flushesAreInTrouble(null);
                }
                return done;
            } catch (IOException | RuntimeException | Error e) {
                if (closing || !Faults.mayPass(e)) {
                    throw e;
                }
                failed = true;
                versions.flushesAreInTrouble(e);
                pause(pauseNanos);
            }
        }
    }

    private void pause(long nanos) {
        retrying = Thread.currentThread();
        LockSupport.parkNanos(this, nanos);
    }

    private Table write(Memtable memtable) throws IOException {
        long start = System.nanoTime();
        Events.Flush event = new Events.Flush();
        event.begin();
        Cursor entries = memtable.cursor(null);
        entries.next();
        Table table = tables.write(memtable.number, entries, Long.MAX_VALUE, Integer.MAX_VALUE, false);
        try {
            event.end();
            event.number = memtable.number;
            event.entries = table.entries();
            event.bytes = table.bytes();
            event.commit();
            counters.flushes.increment();
            counters.flushedBytes.add(table.bytes());
            counters.flushNanos.add(System.nanoTime() - start);
        } catch (OutOfMemoryError e) {
            // The flush goes uncounted. If this failed, the table would be written again.
        }
        return table;
    }

    /** Tables are published oldest first: a get asks memtables before tables, so older memtables would hide a newer table. */
    private void publish() throws IOException {
        synchronized (written) {
            while (!unpublished.isEmpty() && written.containsKey(unpublished.peek())) {
                Memtable oldest = unpublished.peek();
                publisher.flushed(oldest, written.get(oldest));
                published.add(oldest);
                unpublished.remove();
                written.remove(oldest);
            }
            while (!published.isEmpty()) {
                publisher.tidy(published.peek());
                if (tables.options().reload() == Reload.FULL) {
                    publisher.reload(tables);
                }
                afterPublish.run();
                published.remove();
            }
        }
    }

    /** Flushes that wait before they are tried again are tried now. */
    void retryNow() {
        versions.flushesAreInTrouble(null);
        LockSupport.unpark(retrying);
    }

    /** Time that flushing a byte took so far, on average; 0 before the first flush. */
    double nanosPerByte() {
        long bytes = counters.flushedBytes.sum();
        return bytes == 0 ? 0 : (double) counters.flushNanos.sum() / bytes;
    }

    /** Returns when all that was submitted is flushed, or has failed. */
    @Override
    public void close() {
        closing = true;
        LockSupport.unpark(retrying);
        threads.shutdown();
        Threads.awaitEnd(threads);
        written.values().forEach(Table::close); // those that an older, failed one kept from being published
    }
}
