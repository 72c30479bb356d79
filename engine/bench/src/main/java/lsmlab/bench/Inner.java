// SPDX-License-Identifier: Apache-2.0
package lsmlab.bench;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import lsmlab.storage.Engine;
import lsmlab.storage.options.Compaction;
import lsmlab.storage.options.Options;
import lsmlab.storage.options.Wal;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * The parts of a get and a put, one at a time: small stores that the processor's caches hold, so that what is measured is instructions,
 * and with the allocation profiler, bytes. Keys and values are made once; what is allocated is the engine's.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class Inner {
    private static final int KEYS = 4_096; // a power of two
    private static final int VALUE_BYTES = 150;
    private static final int RUNS = 8;

    private final Data data = new Data(KEYS, VALUE_BYTES);
    private final MemorySegment[] keys = new MemorySegment[KEYS];
    private final MemorySegment[] missing = new MemorySegment[KEYS];
    private final MemorySegment value = MemorySegment.ofArray(new byte[VALUE_BYTES]);
    private Path folder;
    private Engine memtable;
    private Engine table;
    private Engine runs;
    private Engine written;
    private int next;

    @Setup(Level.Trial)
    public void open() throws IOException {
        for (int i = 0; i < KEYS; i++) {
            keys[i] = MemorySegment.ofArray(data.key(data.shuffled(i)));
            missing[i] = MemorySegment.ofArray(data.missingKey(data.shuffled(i)));
        }
        folder = Files.createTempDirectory("inner");
        Options options = Options.defaults().withCompaction(Compaction.NONE).withWal(Wal.NONE);
        memtable = Engine.open(folder.resolve("memtable"), options);
        table = Engine.open(folder.resolve("table"), options);
        runs = Engine.open(folder.resolve("runs"), options);
        written = Engine.open(folder.resolve("written"), Options.defaults());
        for (int i = 0; i < KEYS; i++) {
            memtable.put(keys[i], value);
            table.put(keys[i], value);
            runs.put(keys[i], value);
            if (i % (KEYS / RUNS) == KEYS / RUNS - 1) {
                runs.flush();
            }
        }
        table.flush();
    }

    private int next() {
        return next++ & KEYS - 1;
    }

    @Benchmark
    public MemorySegment getFromMemtable() {
        return memtable.get(keys[next()]);
    }

    @Benchmark
    public MemorySegment getFromOneTable() {
        return table.get(keys[next()]);
    }

    @Benchmark
    public MemorySegment getFromEightRuns() {
        return runs.get(keys[next()]);
    }

    @Benchmark
    public MemorySegment getMissingFromEightRuns() {
        return runs.get(missing[next()]);
    }

    @Benchmark
    public void put() {
        written.put(keys[next()], value);
    }

    @TearDown(Level.Trial)
    public void close() throws IOException {
        for (Engine engine : new Engine[] {memtable, table, runs, written}) {
            engine.close();
        }
        Child.delete(folder);
    }
}
