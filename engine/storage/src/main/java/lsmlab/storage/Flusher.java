// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Writes frozen memtables as tables, several at a time if there are several threads, and publishes them oldest first. */
final class Flusher {
    private final Versions versions;
    private final Tables tables;
    private final Counters counters;
    private final Runnable published;
    private final ThreadPoolExecutor threads;
    private final Queue<Memtable> unpublished = new ConcurrentLinkedQueue<>(); // oldest first
    private final Map<Memtable, Table> written = new HashMap<>(); // GUARDED BY this

    /** @param published told after each table that was published */
    Flusher(Versions versions, Tables tables, Counters counters, Runnable published) {
        this.versions = versions;
        this.tables = tables;
        this.counters = counters;
        this.published = published;
        int count = tables.options().flushThreads();
        threads = new ThreadPoolExecutor(count, count, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(),
                BackgroundThreads.named(Thread.ofPlatform().name("flush-", 1).daemon()));
        threads.prestartAllCoreThreads(); // now, not when memory is short and writers wait for them
    }

    /** REQUIRES: calls in the order of freezing. */
    void submit(Memtable frozen) {
        unpublished.add(frozen);
        threads.execute(() -> flush(frozen));
    }

    private void flush(Memtable memtable) {
        try {
            long start = System.nanoTime();
            Events.Flush event = new Events.Flush();
            event.begin();
            Cursor entries = memtable.cursor(null);
            entries.next();
            Table table = tables.write(memtable.number, entries, Long.MAX_VALUE, Integer.MAX_VALUE);
            event.end();
            event.number = memtable.number;
            event.entries = table.entries();
            event.bytes = table.bytes();
            event.commit();
            counters.flushes.increment();
            counters.flushedBytes.add(table.bytes());
            counters.flushNanos.add(System.nanoTime() - start);
            publish(memtable, table);
            published.run();
        } catch (IOException | RuntimeException | Error e) {
            versions.fail(e);
        }
    }

    /** A table waits here until the older memtables are published: published first, it would be hidden by them, or hide them. */
    private synchronized void publish(Memtable memtable, Table table) throws IOException {
        written.put(memtable, table);
        while (!unpublished.isEmpty() && written.containsKey(unpublished.peek())) {
            Memtable oldest = unpublished.remove();
            versions.flushed(oldest, written.get(oldest));
            written.remove(oldest);
            if (tables.options().reload() == Reload.FULL) {
                versions.reload(tables);
            }
        }
    }

    /** Time that flushing a byte took so far, on average; 0 before the first flush. */
    double nanosPerByte() {
        long bytes = counters.flushedBytes.sum();
        return bytes == 0 ? 0 : (double) counters.flushNanos.sum() / bytes;
    }

    /** Returns when all that was submitted is flushed, or has failed. */
    void close() {
        threads.shutdown();
        Threads.awaitEnd(threads);
        written.values().forEach(Table::close); // those that an older, failed one kept from being published
    }
}
