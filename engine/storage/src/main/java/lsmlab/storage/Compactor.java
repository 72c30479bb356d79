// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.stream.Collectors;
import lsmlab.storage.compaction.CompactionPolicy;
import lsmlab.storage.compaction.Job;
import lsmlab.storage.compaction.LeveledPolicy;
import lsmlab.storage.compaction.Place;
import lsmlab.storage.compaction.Run;
import lsmlab.storage.compaction.TieredPolicy;
import lsmlab.storage.counters.Counters;
import lsmlab.storage.disk.Disk;
import lsmlab.storage.disk.Faults;
import lsmlab.storage.entries.CorruptionException;
import lsmlab.storage.options.MergePolicy;
import lsmlab.storage.options.Options;
import lsmlab.storage.system.BackgroundThreads;
import lsmlab.storage.system.Threads;
import lsmlab.storage.table.Table;
import lsmlab.storage.table.Tables;
import lsmlab.storage.tree.Publisher;
import lsmlab.storage.tree.Reader;
import lsmlab.storage.tree.Reclaimer;
import lsmlab.storage.tree.Tree;
import lsmlab.storage.tree.Versions;

/**
 * Runs compactions, one at a time, in its own thread: those that the policy chooses after a flush, and those asked for. Under sustained
 * flushing it tolerates more runs, so each merge covers more of them and less is rewritten; once flushing pauses it merges down to the
 * number that reads should meet. When the store rests, the thread makes the map of keys.
 */
final class Compactor implements Closeable {
    private static final int MAX_RUNS = 8;
    private static final int MAX_RUNS_UNDER_LOAD = 12;
    private static final int MAX_LEVEL0_RUNS = 4;
    private static final int THRESHOLDS_PER_TABLE = 4;
    private static final int RECLAIM_TRIES = 50;
    private static final long RECLAIM_PAUSE_NANOS = 1_000_000;
    /** How often the thread checks whether a map of keys that was put off can be made. */
    private static final long MAPPING_NANOS = 10_000_000_000L;
    /** So long after the last flush, flushing has paused. */
    private static final long PAUSE_NANOS = 2_000_000_000;

    private final Versions versions;
    private final Patience patience;
    private final Reclaimer reclaimer;
    private final Merger merger;
    private final KeyMapper mapper; // null: look-ups ask no map of keys
    private final int mostFrozen;
    private final CompactionPolicy policy; // null: none
    private final CompactionPolicy policyUnderLoad;
    private final ScheduledThreadPoolExecutor thread =
            new ScheduledThreadPoolExecutor(1, BackgroundThreads.named(Thread.ofPlatform().name("compaction").daemon()));
    private final AtomicBoolean awaited = new AtomicBoolean(); // a look at the policy is queued
    private final AtomicInteger awaiting = new AtomicInteger(); // threads that wait until what they asked for is done
    private final AtomicInteger awaitingIdle = new AtomicInteger(); // those among them that asked for nothing but rest
    private volatile long loadUntil = System.nanoTime();
    private volatile boolean closing;
    private volatile boolean stopped; // for good, by damage
    private volatile Throwable trouble;
    private final AtomicBoolean retryAwaited = new AtomicBoolean();
    private volatile Set<Place> merging = Set.of(); // the runs that are read
    private volatile int settledRuns = Integer.MAX_VALUE; // that the policy left alone when it was last asked; 0: it wants to merge

    Compactor(Disk disk, Versions versions, Publisher publisher, Reclaimer reclaimer, Tables tables, Counters counters) {
        patience = new Patience(disk);
        this.versions = versions;
        this.reclaimer = reclaimer;
        mostFrozen = tables.options().maxFrozen();
        policy = policy(tables.options(), MAX_RUNS);
        policyUnderLoad = policy(tables.options(), MAX_RUNS_UNDER_LOAD);
        long outputBytes = policy == null ? THRESHOLDS_PER_TABLE * tables.options().flushThresholdBytes() : policy.outputTableBytes();
        Pace pace = new Pace(tables.options().compactionBytesPerSecond(), this::isHurried);
        merger = new Merger(publisher, tables, counters, outputBytes, () -> closing, pace);
        mapper = KeyMapper.isWanted(tables.options()) ? new KeyMapper(versions, publisher, () -> !isResting() || policy != null && policy.isHurried(versions.tree().runs())) : null;
        thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    /** Now, not when threads are short. */
    void start() {
        thread.prestartCoreThread();
        if (mapper != null) {
            thread.scheduleWithFixedDelay(this::work, MAPPING_NANOS, MAPPING_NANOS, TimeUnit.NANOSECONDS);
        }
    }

    private static CompactionPolicy policy(Options options, int maxRuns) {
        long threshold = options.flushThresholdBytes();
        MergePolicy merges = options.extensions().merges();
        if (merges != null) {
            return new TieredPolicy(merges, maxRuns, THRESHOLDS_PER_TABLE * threshold);
        }
        return switch (options.compaction()) {
            case TIERED -> new TieredPolicy(MergePolicy.BINOMIAL, maxRuns, THRESHOLDS_PER_TABLE * threshold);
            case LEVELED -> new LeveledPolicy(MAX_LEVEL0_RUNS, MAX_LEVEL0_RUNS * threshold, threshold);
            case NONE -> null;
        };
    }

    /**
     * Whether writes should wait until some runs are merged. WHY it remembers how many runs are left alone: a user's policy may want no merge
     * although writers wait for one, and nothing would release them. A few more may be flushed until it is asked again.
     */
    boolean isBehind(Tree tree) {
        return policy != null && !closing && !stopped && policy.isBehind(tree.runs()) && tree.runs().size() - settledRuns > mostFrozen;
    }

    /** Whether some thread waits for a merge, or would soon. */
    private boolean isHurried() {
        return closing || awaiting.get() > 0 || policy == null || policy.isHurried(versions.tree().runs());
    }

    private boolean hasWork() {
        return (policy != null || mapper != null) && !closing && !stopped;
    }

    /** There may be something to do now, and again when no other flush follows. */
    void flushed() {
        if (hasWork()) {
            loadUntil = System.nanoTime() + PAUSE_NANOS;
            look();
            thread.schedule(this::work, PAUSE_NANOS, TimeUnit.NANOSECONDS);
        }
    }

    /** There may be something to do. */
    void look() {
        if (hasWork() && awaited.compareAndSet(false, true)) {
            try {
                thread.execute(this::work);
            } catch (OutOfMemoryError e) {
                awaited.set(false);
                throw e;
            }
        }
    }

    private void work() {
        awaited.set(false);
        try {
            while (!stopped && policy != null && runNext(this::choose)) {
                // until there is nothing to do
            }
            map();
        } catch (CancellationException | IOException e) {
            // Closing, or noted; what was merged in vain is removed at the next opening.
        } catch (OutOfMemoryError e) {
            failed(e); // outside of a merge: writers may be waiting for the next one
        }
    }

    private void map() {
        if (mapper != null && !stopped && isResting() && mapper.run(awaitingIdle.get() > 0)) {
            reclaim();
        }
    }

    private Optional<Job<Table>> choose(List<Run<Table>> runs) {
        Optional<Job<Table>> job = (isUnderLoad() ? policyUnderLoad : policy).choose(runs);
        settledRuns = job.isPresent() ? 0 : runs.size();
        versions.wake();
        if (job.isPresent() && patience.refuses(job.get().bytes())) {
            awaitRetry();
            return Optional.empty();
        }
        return job;
    }

    private void retry() {
        retryAwaited.set(false);
        work();
    }

    /** The runs that a compaction reads at this moment. */
    Set<Place> merging() {
        return merging;
    }

    /** Why compactions fail at the moment, or do not run any more; null if they do. */
    Throwable trouble() {
        return trouble;
    }

    /**
     * Retries what may pass. A damaged table ends all compactions and nothing else: each read of it reports the damage, and what was written
     * can be read. Anything else is final.
     */
    private void failed(Throwable e) {
        trouble = e;
        if (Faults.mayPass(e)) {
            awaitRetry();
        } else if (e instanceof CorruptionException || e.getCause() instanceof CorruptionException) {
            stopped = true;
        } else {
            versions.fail(e);
        }
        versions.wake();
    }

    /** Repeats until it is scheduled: there may be no memory for the task, and writers may be waiting for compactions. */
    private void awaitRetry() {
        while (policy != null && !closing && retryAwaited.compareAndSet(false, true)) {
            try {
                thread.schedule(this::retry, Patience.LEAST_NANOS, TimeUnit.NANOSECONDS);
                return;
            } catch (OutOfMemoryError e) {
                retryAwaited.set(false);
                Threads.awaitMemory();
            }
        }
    }

    private boolean isResting() {
        return !closing && (awaitingIdle.get() > 0 || !isUnderLoad());
    }

    private boolean isUnderLoad() {
        return System.nanoTime() - loadUntil < 0;
    }

    /** Merges everything into one run; returns when it is done. */
    void compactAll() throws IOException {
        runInTurn(() -> runNext(Compactor::everything));
    }

    /** Returns when no compaction runs and none is due; it does not wait for the pause. */
    void awaitIdle() throws IOException {
        loadUntil = System.nanoTime();
        awaitingIdle.incrementAndGet();
        try {
            look();
            runInTurn(() -> null);
        } finally {
            awaitingIdle.decrementAndGet();
        }
    }

    private void runInTurn(Callable<?> task) throws IOException {
        awaiting.incrementAndGet();
        try {
            thread.submit(() -> {
                task.call();
                map();
                return null;
            }).get();
        } catch (CancellationException | RejectedExecutionException e) {
            throw closed();
        } catch (ExecutionException e) {
            switch (e.getCause()) {
                case CancellationException _ -> throw closed();
                case IOException failure -> throw failure;
                default -> throw new IllegalStateException(e.getCause());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted; compactions go on");
        } finally {
            awaiting.decrementAndGet();
        }
    }

    private static IllegalStateException closed() {
        return new IllegalStateException("the store was closed");
    }

    /** The tables of the job stay as long as it runs, as for every reader. */
    private boolean runNext(Function<List<Run<Table>>, Optional<Job<Table>>> choice) throws IOException {
        long start = System.nanoTime();
        Optional<Job<Table>> job = Optional.empty();
        Reader hold = versions.borrow();
        try {
            Tree tree = versions.tree();
            hold.scans(tree.onlyTables());
            job = choice.apply(tree.runs());
            if (job.isPresent()) {
                merging = job.get().inputs().stream().map(Run::place).collect(Collectors.toSet());
                merger.run(job.get());
            }
            if (job.isPresent() || settledRuns > 0) { // a merge that was put off leaves the trouble as it is
                trouble = null;
                patience.forget();
            }
        } catch (CancellationException e) {
            throw e;
        } catch (InternalError e) {
            IOException damage = versions.fault(e).getCause();
            failed(damage);
            throw damage;
        } catch (IOException | RuntimeException | Error e) {
            long nanos = System.nanoTime() - start;
            failed(e);
            if (job.isPresent() && Faults.mayPass(e)) {
                patience.failed(job.get().bytes(), nanos);
            }
            throw e instanceof IOException failure ? failure : new IOException("compaction failed: " + e.getMessage(), e);
        } finally {
            merging = Set.of();
            hold.giveBack();
        }
        if (job.isPresent()) {
            reclaim();
        }
        return job.isPresent();
    }

    /** A get that was under way keeps what was replaced for microseconds: worth a moment, or it stays until the next flush. */
    private void reclaim() {
        for (int tries = 0; reclaimer.reclaim() && tries < RECLAIM_TRIES; tries++) {
            LockSupport.parkNanos(RECLAIM_PAUSE_NANOS);
        }
    }

    private static Optional<Job<Table>> everything(List<Run<Table>> runs) {
        boolean tombstones = runs.stream().flatMap(run -> run.tables().stream()).anyMatch(table -> table.tombstones() > 0);
        if (runs.isEmpty() || runs.size() == 1 && !tombstones) {
            return Optional.empty();
        }
        Run<Table> oldest = runs.getLast();
        return Optional.of(Job.of(runs, runs, oldest.level(), oldest.id(), "asked for"));
    }

    /** Gives up the running compaction and releases every thread that waits for one. */
    void cancel() {
        closing = true;
        versions.wake();
    }

    /** Returns when the thread has ended. */
    @Override
    public void close() {
        thread.shutdown();
        Threads.awaitEnd(thread);
    }
}
