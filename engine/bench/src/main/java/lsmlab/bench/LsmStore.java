// SPDX-License-Identifier: Apache-2.0
package lsmlab.bench;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import lsmlab.storage.Batch;
import lsmlab.storage.Engine;
import lsmlab.storage.Scan;
import lsmlab.storage.entries.ValueReader;
import lsmlab.storage.options.Compaction;
import lsmlab.storage.options.Options;
import lsmlab.storage.options.Pruning;
import lsmlab.storage.options.Wal;

/** This project's engine with its defaults, and a map from keys to runs. */
final class LsmStore implements Store {
    private static final ValueReader<Value, Value> COPY = (into, source, at, length) -> {
        MemorySegment.copy(source, JAVA_BYTE, at, into.bytes, 0, length);
        into.length = length;
        return into;
    };
    private static final ValueReader<Boolean, Boolean> SHOW = (isThere, _, _, _) -> isThere;

    private final Engine engine;

    LsmStore(Path directory, boolean synced) throws IOException {
        this(directory, Options.defaults().withWal(synced ? Wal.SYNC : Wal.OS));
    }

    private LsmStore(Path directory, Options options) throws IOException {
        engine = Engine.open(directory, options.withPruning(Pruning.MAP));
    }

    /** Tables of about this size, never merged. */
    static LsmStore manyTables(Path directory, long tableBytes) throws IOException {
        return new LsmStore(directory, Options.defaults().withWal(Wal.NONE).withCompaction(Compaction.NONE).withFlushThresholdBytes(tableBytes));
    }

    @Override
    public void put(byte[] key, byte[] value) {
        engine.put(MemorySegment.ofArray(key), MemorySegment.ofArray(value));
    }

    @Override
    public void putAll(List<byte[]> keys, List<byte[]> values) {
        Batch batch = new Batch();
        for (int i = 0; i < keys.size(); i++) {
            batch.put(MemorySegment.ofArray(keys.get(i)), MemorySegment.ofArray(values.get(i)));
        }
        engine.write(batch);
    }

    @Override
    public boolean get(byte[] key, Value into) {
        return engine.get(MemorySegment.ofArray(key), into, COPY) != null;
    }

    @Override
    public boolean view(byte[] key) {
        return engine.get(MemorySegment.ofArray(key), true, SHOW) != null;
    }

    @Override
    public int getAll(List<byte[]> keys, Value into) {
        List<MemorySegment> segments = new ArrayList<>(keys.size());
        for (byte[] key : keys) {
            segments.add(MemorySegment.ofArray(key));
        }
        int found = 0;
        for (Value value : engine.getAll(segments, into, COPY)) {
            found += value == null ? 0 : 1;
        }
        return found;
    }

    @Override
    public long scan(byte[] from, int entries, Value into) {
        long sum = 0;
        try (Scan scan = engine.scan(MemorySegment.ofArray(from), null)) {
            for (int i = 0; i < entries && scan.hasNext(); i++) {
                MemorySegment value = scan.next().value();
                sum += COPY.read(into, value, 0, (int) value.byteSize()).sum();
            }
        }
        return sum;
    }

    @Override
    public int runs() {
        return engine.stats().held().runs();
    }

    @Override
    public void settle() throws IOException {
        engine.flush();
        engine.awaitCompactions();
    }

    @Override
    public void compact() throws IOException {
        engine.compact();
    }

    @Override
    public void close() throws IOException {
        engine.close();
    }
}
