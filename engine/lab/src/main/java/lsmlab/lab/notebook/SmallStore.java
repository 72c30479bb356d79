// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.notebook;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.DoubleUnaryOperator;
import java.util.stream.IntStream;
import lsmlab.lab.environment.Given;
import lsmlab.lab.environment.Workspace;
import lsmlab.storage.Engine;
import lsmlab.storage.options.Compaction;
import lsmlab.storage.options.Extensions;
import lsmlab.storage.options.MergePolicy;
import lsmlab.storage.options.Options;
import lsmlab.storage.options.Pruning;
import lsmlab.storage.options.Search;
import lsmlab.storage.options.Wal;
import lsmlab.storage.stats.KeyRange;
import lsmlab.storage.stats.Stats;

/** The engine itself, inside the notebook, with text for keys and values: to see what it does with three keys. */
public final class SmallStore implements AutoCloseable {
    private static final AtomicInteger NUMBER = new AtomicInteger();
    private static final int SCATTER = 0x9E3779B1; // odd, so that no two numbers have the same key
    private static final String VALUE = "v".repeat(92); // with a key of 8 bytes 100 bytes a record

    private final Path folder = Workspace.newFolder("store-" + NUMBER.incrementAndGet());
    private final Engine engine;
    private boolean closed;

    public SmallStore() {
        this(Options.defaults().withPruning(Pruning.NONE).withSearch(Search.BINARY).withCompaction(Compaction.NONE));
    }

    private SmallStore(Options options) {
        try {
            engine = Engine.open(folder, options);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * An empty store that merges as a policy says, and whose tables have Bloom filters: a table of n keys lets a missing key pass with the
     * probability falsePositives(n). Only flush() flushes it, so its counts are the same on every machine.
     */
    public SmallStore with(MergePolicy merges, DoubleUnaryOperator falsePositives) {
        Given.some("with", "a merge policy and a rate of false positives", merges, falsePositives);
        return new SmallStore(Options.defaults().withWal(Wal.NONE).withExtensions(new Extensions(() -> new RatedFilter(falsePositives), null, merges)));
    }

    private Engine engine() {
        if (closed) {
            throw new IllegalStateException("this store was closed; run the cell that makes it with Lab.store()");
        }
        return engine;
    }

    private static MemorySegment bytes(String text) {
        Given.some("the store", "a text", text);
        return MemorySegment.ofArray(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Sets the value of a key. */
    public SmallStore put(String key, String value) {
        engine().put(bytes(key), bytes(value));
        return this;
    }

    /** Removes a key; it need not be there. */
    public SmallStore delete(String key) {
        engine().delete(bytes(key));
        return this;
    }

    /** The value, or null. */
    public String get(String key) {
        MemorySegment value = engine().get(bytes(key));
        return value == null ? null : new String(value.toArray(JAVA_BYTE), StandardCharsets.UTF_8);
    }

    /** Makes a table of what is in memory; returns when the merges that follow are done. */
    public SmallStore flush() {
        engine().flush();
        try {
            engine.awaitCompactions();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return this;
    }

    /** One line: entries in memory, frozen memtables, tables. */
    public String shape() {
        return engine().shape();
    }

    /** Writes records by number, 100 bytes each, with keys scattered over the key space; then flushes. */
    public SmallStore records(IntStream numbers) {
        numbers.forEach(number -> put(key(number), VALUE));
        return flush();
    }

    private static String key(int number) {
        return "%08x".formatted(number * SCATTER);
    }

    /** Gets records by number, or as many missing keys, each next to one of them; returns how many tables a GET asked on average. */
    public double tablesAsked(IntStream numbers, boolean missing) {
        Stats.Reads before = stats().reads();
        numbers.forEach(number -> get(key(number) + (missing ? "x" : "")));
        Stats.Reads after = stats().reads();
        return (double) (after.tablesAsked() - before.tablesAsked()) / (after.gets() - before.gets());
    }

    /** Bytes of all tables that its flushes and merges wrote. */
    public long writtenBytes() {
        Stats.Background made = stats().background();
        return made.flushedBytes() + made.compactionWrittenBytes();
    }

    /** What it has counted so far, and what it holds now. */
    public Stats stats() {
        return engine().stats();
    }

    /** What a get of the key asks, step by step. */
    public String explain(String key) {
        return String.join("\n", engine().explain(bytes(key)));
    }

    /** Which part of the key space each table covers; {@code Charts.keyRanges} draws it. */
    public List<KeyRange> keyRanges() {
        return engine().keyRanges();
    }

    /** Ends the store, and removes what was put. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        try {
            engine.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Workspace.delete(folder);
    }

    @Override
    public String toString() {
        return closed ? "a small store, closed" : "a small store: " + shape();
    }
}
