// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.stream.Collectors;
import lsmlab.storage.commit.CommitQueue;
import lsmlab.storage.commit.Write;
import lsmlab.storage.commit.WriteAheadLog;
import lsmlab.storage.counters.Counters;
import lsmlab.storage.disk.Disk;
import lsmlab.storage.disk.FileDisk;
import lsmlab.storage.disk.ModelledDevice;
import lsmlab.storage.entries.CorruptionException;
import lsmlab.storage.entries.ValueReader;
import lsmlab.storage.format.StoreIdentity;
import lsmlab.storage.memtable.Memtable;
import lsmlab.storage.options.Options;
import lsmlab.storage.options.Wal;
import lsmlab.storage.stats.KeyRange;
import lsmlab.storage.stats.Layout;
import lsmlab.storage.stats.Space;
import lsmlab.storage.stats.Stats;
import lsmlab.storage.stats.WriteTrace;
import lsmlab.storage.system.PageFaults;
import lsmlab.storage.table.Tables;
import lsmlab.storage.tree.Manifest;
import lsmlab.storage.tree.Publisher;
import lsmlab.storage.tree.Reader;
import lsmlab.storage.tree.Reclaimer;
import lsmlab.storage.tree.Tree;
import lsmlab.storage.tree.Versions;

/**
 * A log-structured merge store of sorted keys in one directory.
 *
 * <p>Any number of threads may call it. Reads take the current tree once and no lock. Writes go in groups to the log, then to the
 * memtable; a full memtable is frozen and flushed in the background, and compaction merges what flushes left. What a write that returned
 * survives is {@link Wal}'s choice; after {@link #flush} or {@link #close} it survives everything.
 *
 * <p>Segments given to the engine are copied before a call returns. While there is no room on the disk, no descriptor or no memory, writes
 * are refused with a {@link WriteRefusedException}, and taken again when there is some. When the disk fails otherwise, writes are refused from
 * then on with an {@link UncheckedIOException}, reads go on, and the next opening finds every write that was acknowledged. A damaged file
 * shows as an {@link UncheckedIOException} whose cause is a {@link CorruptionException}. Reads and writes on a closed engine end in
 * an {@link IllegalStateException}.
 */
public final class Engine implements AutoCloseable {
    /** How often a writer looks again before it sleeps: worth it while a commit is a memory copy and a system call. */
    private static final int SPINS_UNSYNCED = 1_000;

    private final Disk disk;
    private final ModelledDevice device; // null: none
    private final List<String> cut;
    private final Counters counters = new Counters();
    private final Versions versions;
    private final ReadPath readPath;
    private final Reclaimer reclaimer;
    private final AtomicLong scans = new AtomicLong();
    private final Compactor compactor;
    private final Flusher flusher;
    private final WritePath writePath;
    private final CommitQueue commits;

    private Engine(Disk disk, Options options) throws IOException {
        this.disk = disk;
        device = options.device() == null ? null : new ModelledDevice(options.device());
        Manifest manifest = Recovery.manifest(disk);
        StoreIdentity store = new StoreIdentity(manifest.store(), manifest.generation());
        Tables tables = new Tables(disk, options, device, store);
        Recovery recovery = Recovery.of(disk, manifest, tables);
        try {
            cut = recovery.cut();
            versions = new Versions(disk, recovery.tree());
            readPath = new ReadPath(options, versions);
            reclaimer = new Reclaimer(disk, versions.readers(), recovery.tree(), options.flushThresholdBytes());
            Publisher publisher = new Publisher(disk, store, versions, reclaimer, manifest.newestLog(), recovery.newestLog().number(), recovery.nextNumber());
            if (manifest.isOld()) {
                publisher.writeManifest(); // what is written from now on is this version's
            }
            compactor = new Compactor(disk, versions, publisher, reclaimer, tables, counters);
            flusher = new Flusher(versions, publisher, tables, counters, compactor::flushed);
            WriteAheadLog log = options.wal() == Wal.NONE ? null : new WriteAheadLog(disk, device, store, options.wal() == Wal.SYNC, recovery.newestLog(), publisher::logBegun);
            writePath = new WritePath(options, versions, publisher, flusher, compactor, counters, log);
            commits = new CommitQueue(writePath::commit, options.wal() == Wal.SYNC ? 0 : SPINS_UNSYNCED);
        } catch (IOException | RuntimeException | Error e) {
            recovery.tree().close();
            throw e;
        }
    }

    private void start() {
        compactor.start();
        flusher.start();
        versions.tree().frozen().reversed().forEach(flusher::submit);
        compactor.look();
    }

    /** Opens the store in {@code directory}, which is made if it is not there. */
    public static Engine open(Path directory, Options options) throws IOException {
        return open(new FileDisk(directory), options);
    }

    /** Closes the disk, too, in the end or when it can't be opened. */
    static Engine open(Disk disk, Options options) throws IOException {
        Engine engine;
        try {
            engine = new Engine(disk, options);
        } catch (IOException | RuntimeException | Error e) {
            disk.close();
            throw e;
        }
        try {
            engine.start();
            return engine;
        } catch (RuntimeException | Error e) { // or its threads would go on with a store that is not open
            engine.compactor.cancel();
            try {
                engine.release();
            } catch (IOException | RuntimeException | Error releasing) {
                e.addSuppressed(releasing);
            }
            throw e;
        }
    }

    /** A copy of the newest value of the key, or null when there is none. */
    public MemorySegment get(MemorySegment key) {
        return get(key, null, ReadPath.COPY);
    }

    /**
     * What the reader makes of the newest value of the key, where the value lies; null when there is none.
     *
     * @param context is passed to the reader
     */
    public <C, R> R get(MemorySegment key, C context, ValueReader<C, R> reader) {
        return readPath.get(key, context, reader);
    }

    /** The same with arrays: the newest value of the key, or null when there is none. */
    public byte[] get(byte[] key) {
        MemorySegment value = get(MemorySegment.ofArray(key));
        return value == null ? null : (byte[]) value.heapBase().orElseThrow(); // COPY made it of an array of just its length
    }

    /** The newest values of the keys, in their order; null where there is none. */
    public List<byte[]> getAll(List<byte[]> keys) {
        List<MemorySegment> segments = keys.stream().map(MemorySegment::ofArray).toList();
        return getAll(segments, null, ReadPath.COPY).stream().map(value -> value == null ? null : (byte[]) value.heapBase().orElseThrow()).collect(Collectors.toList()); // a list that takes null
    }

    /**
     * What the reader makes of the newest values of the keys, in their order; null where there is none. Each value is the newest at some moment of the call, not all at the same. Takes less time
     * than as many gets, where they wait for memory.
     */
    public <C, R> List<R> getAll(List<MemorySegment> keys, C context, ValueReader<C, R> reader) {
        return readPath.getAll(keys, context, reader);
    }

    /** Sets the value of the key; both are copied. */
    public void put(byte[] key, byte[] value) {
        put(MemorySegment.ofArray(key), MemorySegment.ofArray(value));
    }

    /** Removes the key; it need not be there. */
    public void delete(byte[] key) {
        delete(MemorySegment.ofArray(key));
    }

    /** Sets the value of the key. */
    public void put(MemorySegment key, MemorySegment value) {
        put(key, value, null);
    }

    /** The same; {@code trace} learns when the write passes its steps, null: nothing does. */
    public void put(MemorySegment key, MemorySegment value, WriteTrace trace) {
        commits.submit(new Write(key, Objects.requireNonNull(value), trace));
    }

    /** Removes the key; it need not be there. */
    public void delete(MemorySegment key) {
        delete(key, null);
    }

    /** The same, traced as a put is. */
    public void delete(MemorySegment key, WriteTrace trace) {
        commits.submit(new Write(key, null, trace));
    }

    /** Applies all of the batch or nothing; scans see all of it or nothing, too. */
    public void write(Batch batch) {
        if (batch.first() != null) {
            commits.submit(batch.first());
        }
    }

    /** The entries with from ≤ key &lt; to as they are now, ascending; a null bound is open. To be closed. */
    public Scan scan(MemorySegment from, MemorySegment to) {
        return Scan.of(scans.incrementAndGet(), versions, reclaimer, from, to);
    }

    /** Returns when everything written before the call is in tables. */
    public void flush() {
        Memtable newest = commits.exclusively(() -> {
            writePath.checkOpen();
            versions.checkWritable();
            return writePath.freeze();
        });
        flusher.retryNow();
        writePath.require(tree -> !tree.frozen().contains(newest));
        versions.checkWritable();
    }

    /** Flushes, and merges all tables into one run; returns when that is done. */
    public void compact() throws IOException {
        flush();
        compactor.compactAll();
    }

    /** Returns when no compaction runs and none is due. */
    public void awaitCompactions() throws IOException {
        writePath.checkOpen();
        compactor.awaitIdle();
    }

    /** One line: "mem 2 | frozen 0 | L0 3 | L1 1 (12 tables)". */
    public String shape() {
        return versions.tree().shape();
    }

    /** The same for a picture. */
    public Layout layout() {
        return versions.tree().layout(writePath.stall(), compactor.merging());
    }

    /** What a get of the key asks, in order, one line each: memtables, tables skipped and searched, and the outcome. */
    public List<String> explain(MemorySegment key) {
        return readPath.explain(key);
    }

    /** Counters since the engine was opened, and what the store holds now. */
    public Stats stats() {
        Tree tree = versions.tree();
        Throwable trouble = versions.trouble() != null ? versions.trouble() : compactor.trouble();
        Stats.Held held = new Stats.Held(tree.runs().size(), tree.tables().size(), tree.tableBytes(), tree.mapBytes(), tree.active().tableBytes(),
                reclaimer.diskBytes(), reclaimer.memoryBytes(), versions.readers().scans(), reclaimer.endedScans());
        PageFaults faults = PageFaults.ofThisProcess();
        Stats.Machine machine = new Stats.Machine(faults == null ? null : faults.minor(), faults == null ? null : faults.major(),
                device == null ? null : device.stats());
        return new Stats(tree.shape(), counters.writes(), versions.readers().total().stats(), counters.background(), counters.waits(), held,
                trouble == null ? null : trouble.toString(), machine);
    }

    /** Walks through all entries, as a scan does: what it takes grows with the store. */
    public Space space() {
        return ofTree(Tree::space);
    }

    /** The tables, newest first, and the range of keys that each covers. */
    public List<KeyRange> keyRanges() {
        return ofTree(Tree::keyRanges);
    }

    private <R> R ofTree(Function<Tree, R> task) {
        Reader hold = versions.borrow();
        try {
            Tree tree = versions.tree();
            hold.scans(tree);
            return task.apply(tree);
        } catch (InternalError e) {
            throw versions.fault(e);
        } finally {
            hold.giveBack();
            reclaimer.reclaim();
        }
    }

    /** What opening found torn at the end of logs and cut off, one line each with file, offset and length; mostly empty. */
    public List<String> cutAtOpening() {
        return cut;
    }

    /**
     * Flushes and releases everything. A second call does nothing, nor does it wait for the first. A flush that fails is reported after
     * all is released.
     */
    @Override
    public void close() throws IOException {
        compactor.cancel();
        if (!commits.exclusively(writePath::markClosed)) {
            return;
        }
        try {
            writePath.freeze();
            flusher.retryNow();
            writePath.require(tree -> tree.frozen().isEmpty());
            versions.checkWritable();
        } catch (UncheckedIOException | WriteRefusedException e) {
            throw new IOException(e.getMessage(), e.getCause());
        } finally {
            release();
        }
    }

    /** In the reverse order, each whatever becomes of the others. */
    private void release() throws IOException {
        try (disk; writePath; reclaimer; versions; compactor; flusher) {
            // nothing but to close them
        }
    }
}
