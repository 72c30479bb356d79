// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.notebook;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import lsmlab.lab.environment.Given;
import lsmlab.lab.environment.Workspace;
import lsmlab.storage.Engine;
import lsmlab.storage.options.Compaction;
import lsmlab.storage.options.Options;
import lsmlab.storage.options.Pruning;
import lsmlab.storage.options.Search;
import lsmlab.storage.stats.KeyRange;

/** The engine itself, inside the notebook, with text for keys and values: to see what it does with three keys. */
public final class SmallStore implements AutoCloseable {
    private static final AtomicInteger NUMBER = new AtomicInteger();

    private final Engine engine;
    private boolean closed;

    public SmallStore() {
        try {
            engine = Engine.open(Workspace.newFolder("store-" + NUMBER.incrementAndGet()), Options.defaults()
                    .withPruning(Pruning.NONE).withSearch(Search.BINARY).withCompaction(Compaction.NONE));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
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

    /** Makes a table of what is in memory. */
    public SmallStore flush() {
        engine().flush();
        return this;
    }

    /** One line: entries in memory, frozen memtables, tables. */
    public String shape() {
        return engine().shape();
    }

    /** What a get of the key asks, step by step. */
    public String explain(String key) {
        return String.join("\n", engine().explain(bytes(key)));
    }

    /** Which part of the key space each table covers; {@code Charts.keyRanges} draws it. */
    public List<KeyRange> keyRanges() {
        return engine().keyRanges();
    }

    /** Ends the store; what was put is gone with the kernel. */
    @Override
    public void close() {
        closed = true;
        try {
            engine.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public String toString() {
        return closed ? "a small store, closed" : "a small store: " + shape();
    }
}
