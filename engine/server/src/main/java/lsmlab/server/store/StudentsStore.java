// SPDX-License-Identifier: Apache-2.0
package lsmlab.server.store;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.util.Iterator;
import lsmlab.server.http.RangeStream;
import lsmlab.storage.assembled.AssembledStore;
import lsmlab.storage.assembled.KeyValue;
import lsmlab.storage.entries.ValueReader;
import lsmlab.storage.stats.WriteTrace;

/** An assembled store in the place of the engine, for {@code --extension} with parts of one. */
public final class StudentsStore implements Store {
    private final AssembledStore store;

    public StudentsStore(AssembledStore store) {
        this.store = store;
    }

    @Override
    public <C, R> R get(MemorySegment key, C context, ValueReader<C, R> reader) {
        try {
            byte[] value = store.get(key.toArray(JAVA_BYTE));
            return value == null ? null : reader.read(context, MemorySegment.ofArray(value), 0, value.length);
        } catch (IOException e) {
            throw Trouble.of(new UncheckedIOException(e));
        }
    }

    @Override
    public void put(MemorySegment key, MemorySegment value, WriteTrace trace) {
        try {
            store.put(key.toArray(JAVA_BYTE), value.toArray(JAVA_BYTE));
        } catch (IOException e) {
            throw Trouble.of(new UncheckedIOException(e));
        }
    }

    @Override
    public void delete(MemorySegment key, WriteTrace trace) {
        try {
            store.delete(key.toArray(JAVA_BYTE));
        } catch (IOException e) {
            throw Trouble.of(new UncheckedIOException(e));
        }
    }

    /** All at once: such a store is small. */
    @Override
    public RangeStream.Records range(MemorySegment from, MemorySegment to) {
        try {
            return new Listed(store.range(bytes(from), bytes(to)).iterator());
        } catch (IOException e) {
            throw Trouble.of(new UncheckedIOException(e));
        }
    }

    private static byte[] bytes(MemorySegment key) {
        return key == null ? null : key.toArray(JAVA_BYTE);
    }

    private static final class Listed implements RangeStream.Records {
        private final Iterator<KeyValue> left;
        private KeyValue record;

        Listed(Iterator<KeyValue> left) {
            this.left = left;
        }

        @Override
        public boolean next() {
            record = left.hasNext() ? left.next() : null;
            return record != null;
        }

        @Override
        public MemorySegment key() {
            return MemorySegment.ofArray(record.key());
        }

        @Override
        public MemorySegment value() {
            return MemorySegment.ofArray(record.value());
        }

        @Override
        public void close() {
            // nothing is held
        }
    }
}
