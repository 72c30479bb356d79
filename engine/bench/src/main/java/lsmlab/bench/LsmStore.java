// SPDX-License-Identifier: Apache-2.0
package lsmlab.bench;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import lsmlab.storage.Engine;
import lsmlab.storage.Scan;
import lsmlab.storage.options.Compaction;
import lsmlab.storage.options.Options;
import lsmlab.storage.options.Wal;

/** This project's engine with its defaults. */
final class LsmStore implements Store {
    private final Engine engine;

    LsmStore(Path directory, boolean synced) throws IOException {
        this(directory, Options.defaults().withWal(synced ? Wal.SYNC : Wal.OS));
    }

    private LsmStore(Path directory, Options options) throws IOException {
        engine = Engine.open(directory, options);
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
    public int get(byte[] key) {
        MemorySegment value = engine.get(MemorySegment.ofArray(key));
        return value == null ? -1 : (int) value.byteSize();
    }

    @Override
    public int getAll(List<byte[]> keys) {
        int found = 0;
        for (byte[] value : engine.getAll(keys)) {
            found += value == null ? 0 : 1;
        }
        return found;
    }

    @Override
    public long scan(byte[] from, int entries) {
        long sum = 0;
        byte[] bytes = new byte[1 << 16];
        try (Scan scan = engine.scan(MemorySegment.ofArray(from), null)) {
            for (int i = 0; i < entries && scan.hasNext(); i++) {
                MemorySegment value = scan.next().value();
                int length = (int) value.byteSize();
                MemorySegment.copy(value, JAVA_BYTE, 0, bytes, 0, length);
                for (int at = 0; at < length; at++) {
                    sum += bytes[at];
                }
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
