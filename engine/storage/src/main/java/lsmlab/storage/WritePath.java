// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import java.io.Closeable;
import java.io.IOException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import lsmlab.storage.commit.CommitQueue;
import lsmlab.storage.commit.Write;
import lsmlab.storage.commit.WriteAheadLog;
import lsmlab.storage.counters.Counters;
import lsmlab.storage.counters.Events;
import lsmlab.storage.disk.Faults;
import lsmlab.storage.memtable.Memtable;
import lsmlab.storage.options.Backpressure;
import lsmlab.storage.options.Options;
import lsmlab.storage.options.WriteThrottle;
import lsmlab.storage.stats.StallCause;
import lsmlab.storage.stats.WriteTrace;
import lsmlab.storage.table.Tables;
import lsmlab.storage.tree.Publisher;
import lsmlab.storage.tree.Tree;
import lsmlab.storage.tree.Versions;

/**
 * The path of a write: its group makes room, goes to the log, then to the memtable. {@link CommitQueue} admits one group at a time.
 */
final class WritePath implements Closeable {
    /** The longest delay of one group under {@link Backpressure#SLOWDOWN}. */
    private static final long MAX_SLOWDOWN_NANOS = 10_000_000;

    private final Options options;
    private final Versions versions;
    private final Publisher publisher;
    private final Flusher flusher;
    private final Compactor compactor;
    private final Counters counters;
    private final WriteAheadLog log; // null: none
    private final WriteTrace groupTrace = new WriteTrace();
    private WriteTrace trace; // the same while a group is committed whose writes are traced, else null
    private Memtable unsubmitted; // frozen but not yet submitted to the flusher; null: none
    private volatile StallCause stall; // that a group is in; null: none
    private volatile boolean closed; // set by the leader of the queue only

    /** @param log null: none */
    WritePath(Options options, Versions versions, Publisher publisher, Flusher flusher, Compactor compactor, Counters counters, WriteAheadLog log) {
        this.options = options;
        this.versions = versions;
        this.publisher = publisher;
        this.flusher = flusher;
        this.compactor = compactor;
        this.counters = counters;
        this.log = log;
    }

    /** @param group linked by {@code nextWaiting}. REQUIRES: one caller at a time, here and in the methods below except {@link #require}. */
    void commit(Write group) {
        if (!isTraced(group)) {
            carryOut(group);
            return;
        }
        trace = groupTrace;
        trace.begin();
        try {
            carryOut(group);
        } finally {
            for (Write batch = group; batch != null; batch = batch.nextWaiting) {
                if (batch.trace != null) {
                    batch.trace.follow(trace);
                }
            }
            trace = null;
        }
    }

    private static boolean isTraced(Write group) {
        for (Write batch = group; batch != null; batch = batch.nextWaiting) {
            if (batch.trace != null) {
                return true;
            }
        }
        return false;
    }

    private void carryOut(Write group) {
        checkOpen();
        versions.checkWritable();
        if (options.extensions().throttle() != null) {
            throttle(group);
            WriteTrace.passed(trace, WriteTrace.Step.THROTTLE);
        }
        finishFreeze();
        makeRoom(group);
        Memtable active = versions.tree().active();
        if (log != null) {
            append(group, active);
        }
        try {
            apply(group, active);
            WriteTrace.passed(trace, WriteTrace.Step.MEMTABLE);
        } catch (RuntimeException | Error e) {
            active.discardUnpublished();
            if (log != null) {
                log.undo();
            }
            throw refusal(e);
        }
    }

    private void append(Write group, Memtable active) {
        try {
            counters.logBytes.add(log.append(active.number, group, trace));
        } catch (IOException | RuntimeException | Error e) {
            throw refusal(e);
        }
    }

    /** The exception that the writers get. The log then holds nothing of the group; if it could not be repaired, the store takes no more writes. */
    private RuntimeException refusal(Throwable e) {
        boolean mayPass = Faults.mayPass(e);
        if (log != null && !log.isSound() || e instanceof IOException && !mayPass) {
            versions.fail(e);
            versions.checkWritable();
        }
        if (mayPass) {
            return new WriteRefusedException(e);
        }
        if (e instanceof RuntimeException failure) {
            return failure; // a segment that its owner has closed, for one
        }
        throw (Error) e;
    }

    private void apply(Write group, Memtable active) {
        long puts = 0;
        long deletes = 0;
        long bytes = 0;
        for (Write batch = group; batch != null; batch = batch.nextWaiting) {
            for (Write write = batch; write != null; write = write.next) {
                active.put(write.key, write.value);
                bytes += write.keyBytes() + write.valueBytes();
                if (write.value == null) {
                    deletes++;
                } else {
                    puts++;
                }
            }
        }
        active.publish();
        counters.groups.increment();
        counters.puts.add(puts);
        counters.deletes.add(deletes);
        counters.userBytes.add(bytes);
    }

    /** Returns when the active memtable may take a group. */
    private void makeRoom(Write group) {
        Tree tree = versions.tree();
        if (tree.active().tableBytes() < options.flushThresholdBytes() && tree.active().size() < Tables.MAX_ENTRIES) {
            if (options.backpressure() == Backpressure.SLOWDOWN && !hasRoom(tree)) {
                slowDown(group);
                WriteTrace.passed(trace, WriteTrace.Step.THROTTLE);
            }
            return;
        }
        if (options.backpressure() == Backpressure.FAIL && (!hasRoom(tree) || compactor.isBehind(tree))) {
            throw new WriteRefusedException();
        }
        if (!hasRoom(tree)) {
            stall(StallCause.MEMTABLES, this::hasRoom);
            WriteTrace.passed(trace, WriteTrace.Step.FULL_MEMTABLES);
        }
        if (compactor.isBehind(versions.tree())) {
            stall(StallCause.COMPACTION, now -> compactor.trouble() != null || !compactor.isBehind(now));
            if (compactor.trouble() != null) {
                throw new WriteRefusedException(compactor.trouble());
            }
            WriteTrace.passed(trace, WriteTrace.Step.COMPACTION_BEHIND);
        }
        freeze();
        WriteTrace.passed(trace, WriteTrace.Step.FREEZE);
    }

    private boolean hasRoom(Tree tree) {
        return tree.frozen().size() < options.maxFrozen();
    }

    private void stall(StallCause cause, Predicate<Tree> until) {
        long start = System.nanoTime();
        Events.Stall event = new Events.Stall();
        event.begin();
        stall = cause;
        try {
            while (options.backpressure() == Backpressure.SPIN && !until.test(versions.tree())) {
                checkFlushes();
                Thread.onSpinWait();
            }
            require(until);
        } finally {
            stall = null;
            event.cause = cause.name();
            event.commit();
            counters.stalled(cause, System.nanoTime() - start);
        }
    }

    /** What writes wait for at this moment; null: for nothing. Any thread may ask. */
    StallCause stall() {
        return stall;
    }

    /** Waits until the condition holds. Throws when flushes fail meanwhile, since it might then never hold. */
    void require(Predicate<Tree> condition) {
        while (!condition.test(versions.tree())) {
            versions.await(condition);
            if (!condition.test(versions.tree())) {
                checkFlushes(); // or the trouble is over by now, and there is more to wait for
            }
        }
    }

    private void checkFlushes() {
        versions.checkWritable();
        Throwable trouble = versions.trouble();
        if (trouble != null) {
            throw new WriteRefusedException(trouble);
        }
    }

    /** As long as an extension says. */
    private void throttle(Write group) {
        Tree tree = versions.tree();
        WriteThrottle.State state = new WriteThrottle.State(tree.active().tableBytes(), options.flushThresholdBytes(), tree.frozen().size(),
                options.maxFrozen(), bytesOf(group), flusher.nanosPerByte());
        long delay = Math.min(WriteThrottle.MAX_DELAY_NANOS, options.extensions().throttle().delayNanos(state));
        if (delay > 0) {
            pause(delay, _ -> false);
        }
    }

    /** No frozen slot is free: paces writes to the flush rate. */
    private void slowDown(Write group) {
        pause(Math.min(MAX_SLOWDOWN_NANOS, (long) (bytesOf(group) * flusher.nanosPerByte())), this::hasRoom);
    }

    private static long bytesOf(Write group) {
        long bytes = 0;
        for (Write batch = group; batch != null; batch = batch.nextWaiting) {
            bytes += batch.batchBytes();
        }
        return bytes;
    }

    /** Waits so long, or less when it need not wait any more. */
    private void pause(long nanos, Predicate<Tree> enough) {
        long start = System.nanoTime();
        while (System.nanoTime() - start < nanos && !enough.test(versions.tree())) {
            LockSupport.parkNanos(nanos - (System.nanoTime() - start));
        }
        counters.stalled(StallCause.SLOWDOWN, System.nanoTime() - start);
    }

    /** Hands the active memtable to the flusher, if it holds anything; returns the newest memtable that is on its way to disk, or the active one. */
    Memtable freeze() {
        finishFreeze();
        Tree tree = versions.tree();
        if (tree.active().isEmpty()) {
            return tree.frozen().isEmpty() ? tree.active() : tree.frozen().getFirst();
        }
        try {
            unsubmitted = versions.freeze(publisher.newNumber(), writesToFill(tree.active()));
        } catch (OutOfMemoryError e) {
            throw new WriteRefusedException(e); // nothing has happened
        }
        return finishFreeze();
    }

    /** How many writes like those of this memtable fill one; not fewer than it took, where a batch was larger than a memtable should be. */
    private int writesToFill(Memtable memtable) {
        double full = (double) memtable.size() * options.flushThresholdBytes() / memtable.tableBytes();
        return Math.max(memtable.size(), (int) Math.min(Tables.MAX_ENTRIES, full));
    }

    /** Completes a freeze: rotates the log, submits the flush. After an OutOfMemoryError the next write repeats it. */
    private Memtable finishFreeze() {
        Memtable frozen = unsubmitted;
        if (frozen == null) {
            return null;
        }
        try {
            if (log != null) {
                log.rotate();
            }
            flusher.submit(frozen);
            unsubmitted = null;
            return frozen;
        } catch (IOException | RuntimeException | Error e) {
            throw refusal(e);
        }
    }

    void checkOpen() {
        if (closed) {
            throw new IllegalStateException("the store is closed");
        }
    }

    /** Refuses what comes from now on; false if it was closed before. */
    boolean markClosed() {
        boolean first = !closed;
        closed = true;
        return first;
    }

    @Override
    public void close() throws IOException {
        if (log != null) {
            log.close();
        }
    }
}
