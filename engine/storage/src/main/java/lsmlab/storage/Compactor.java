// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

/** Runs compactions, one at a time, in a thread of its own: those that the policy chooses after a flush, and those asked for. */
final class Compactor {
    private final Versions versions;
    private final Tables tables;
    private final Counters counters;
    private final CompactionPolicy policy; // null: none
    private final ExecutorService thread = Executors.newSingleThreadExecutor(Thread.ofPlatform().name("compaction").daemon().factory());
    private final AtomicBoolean awaited = new AtomicBoolean(); // a look at the policy is queued
    private volatile boolean closing;

    Compactor(Versions versions, Tables tables, Counters counters) {
        this.versions = versions;
        this.tables = tables;
        this.counters = counters;
        policy = policy(tables.options());
    }

    private static CompactionPolicy policy(Options options) {
        long threshold = options.flushThresholdBytes();
        return switch (options.compaction()) {
            case TIERED -> new TieredPolicy(8, 4 * threshold);
            case LEVELED -> new LeveledPolicy(4, 4 * threshold, threshold);
            case NONE -> null;
        };
    }

    /** Whether writes should wait until some runs are merged. */
    boolean isBehind(Tree tree) {
        return policy != null && policy.isBehind(tree.runs());
    }

    /** The shape has changed: there may be something to do. */
    void look() {
        if (policy != null && awaited.compareAndSet(false, true)) {
            thread.execute(this::work);
        }
    }

    private void work() {
        awaited.set(false);
        try {
            while (runNext(policy::choose)) {
                // until there is nothing to do
            }
        } catch (CancellationException e) {
            // The store is being closed; what was merged in vain is removed at the next opening.
        } catch (IOException | RuntimeException | Error e) {
            versions.fail(e);
        }
    }

    /** Merges everything into one run; returns when it is done. */
    void compactAll() throws IOException {
        CompletableFuture<Void> done = CompletableFuture.runAsync(() -> {
            try {
                runNext(Compactor::everything);
            } catch (IOException e) {
                versions.fail(e);
                throw new CompletionException(e);
            }
        }, thread);
        try {
            done.join();
        } catch (CompletionException e) {
            switch (e.getCause()) {
                case CancellationException _ -> throw new IllegalStateException("the store was closed");
                case IOException failure -> throw failure;
                default -> throw e;
            }
        }
    }

    void awaitIdle() {
        look();
        CompletableFuture.runAsync(() -> {}, thread).join(); // the thread takes one task after the other
    }

    private static Optional<Job<Table>> everything(List<Run<Table>> runs) {
        boolean tombstones = runs.stream().flatMap(run -> run.tables().stream()).anyMatch(table -> table.tombstones() > 0);
        if (runs.isEmpty() || runs.size() == 1 && !tombstones) {
            return Optional.empty();
        }
        Run<Table> oldest = runs.getLast();
        return Optional.of(Job.of(runs, runs, oldest.level(), oldest.id(), "asked for"));
    }

    /** The tables of the job stay as long as it runs, as for every reader. */
    private boolean runNext(Function<List<Run<Table>>, Optional<Job<Table>>> choice) throws IOException {
        Lookup hold = versions.borrow();
        try {
            Tree tree = versions.tree();
            hold.scans(tree);
            Optional<Job<Table>> job = choice.apply(tree.runs());
            if (job.isPresent()) {
                run(job.get());
            }
            return job.isPresent();
        } finally {
            hold.giveBack();
            versions.reclaim();
        }
    }

    private void run(Job<Table> job) throws IOException {
        long start = System.nanoTime();
        Events.Compaction event = new Events.Compaction();
        event.begin();
        event.because = job.because();
        event.inputs = job.tables().size();
        counters.compactions.increment();
        if (isMove(job)) {
            versions.moved(job);
            event.outputs = event.inputs;
        } else {
            List<Table> outputs = merge(job);
            event.outputs = outputs.size();
            event.readBytes = job.bytes();
            event.writtenBytes = outputs.stream().mapToLong(Table::bytes).sum();
            counters.compactionReadBytes.add(event.readBytes);
            counters.compactionWrittenBytes.add(event.writtenBytes);
            versions.compacted(job, outputs);
        }
        event.commit();
        counters.compactionNanos.add(System.nanoTime() - start);
    }

    /** Tables that share no keys become one run as they are; nothing is read or written. */
    private static boolean isMove(Job<Table> job) {
        List<Table> sorted = job.tables().stream().sorted(Comparator.comparing(Table::firstKey, Keys::compare)).toList();
        for (int i = 1; i < sorted.size(); i++) {
            if (Keys.compare(sorted.get(i - 1).lastKey(), sorted.get(i).firstKey()) >= 0) {
                return false;
            }
        }
        boolean wouldDrop = job.dropTombstones() && sorted.stream().anyMatch(table -> table.tombstones() > 0);
        return !wouldDrop;
    }

    private List<Table> merge(Job<Table> job) throws IOException {
        List<Cursor> newestFirst = job.inputs().stream().map(Tree::cursorOver).toList();
        int commonBytes = Keys.commonPrefix(job.inputs().stream().map(Run::span).toList());
        Cursor entries = new Cancellable(new MergeCursor(newestFirst, commonBytes, job.dropTombstones()));
        long tableBytes = policy == null ? 4 * tables.options().flushThresholdBytes() : policy.outputTableBytes();
        List<Table> outputs = new ArrayList<>();
        try {
            while (entries.next()) {
                outputs.add(tables.write(versions.newNumber(), entries, tableBytes));
            }
        } catch (IOException | RuntimeException | Error e) {
            outputs.forEach(Table::close);
            throw e;
        }
        return outputs;
    }

    /** Ends with an exception when the store is closed, which would else wait for a long merge. */
    private final class Cancellable extends Cursor {
        private final Cursor cursor;

        Cancellable(Cursor cursor) {
            this.cursor = cursor;
        }

        @Override
        boolean next() {
            if (closing) {
                throw new CancellationException();
            }
            boolean moved = cursor.next();
            if (moved) {
                take(cursor);
            }
            return moved;
        }
    }

    /** Returns when the thread has ended; a compaction that runs is given up. */
    void close() {
        closing = true;
        thread.shutdown();
        Threads.awaitEnd(thread);
    }
}
