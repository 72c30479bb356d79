// SPDX-License-Identifier: Apache-2.0
package lsmlab.server.store;

import java.lang.foreign.MemorySegment;
import lsmlab.server.http.RangeStream;
import lsmlab.storage.Engine;
import lsmlab.storage.Scan;
import lsmlab.storage.entries.Entry;
import lsmlab.storage.entries.ValueReader;
import lsmlab.storage.stats.WriteTrace;

/** The store behind the server. What it can't do is refused as {@link Trouble} says. */
public interface Store {
    /** Of the values that a constant store answers with: those of the load scripts have it. */
    int CONSTANT_VALUE_BYTES = 690;

    <C, R> R get(MemorySegment key, C context, ValueReader<C, R> reader);

    /** @param trace learns when the write passes its steps; null: nothing does */
    void put(MemorySegment key, MemorySegment value, WriteTrace trace);

    /** @param trace as above */
    void delete(MemorySegment key, WriteTrace trace);

    RangeStream.Records range(MemorySegment from, MemorySegment to);

    static Store of(Engine engine) {
        return new Store() {
            @Override
            public <C, R> R get(MemorySegment key, C context, ValueReader<C, R> reader) {
                try {
                    return engine.get(key, context, reader);
                } catch (RuntimeException e) {
                    throw Trouble.of(e);
                }
            }

            @Override
            public void put(MemorySegment key, MemorySegment value, WriteTrace trace) {
                try {
                    engine.put(key, value, trace);
                } catch (RuntimeException e) {
                    throw Trouble.of(e);
                }
            }

            @Override
            public void delete(MemorySegment key, WriteTrace trace) {
                try {
                    engine.delete(key, trace);
                } catch (RuntimeException e) {
                    throw Trouble.of(e);
                }
            }

            @Override
            public RangeStream.Records range(MemorySegment from, MemorySegment to) {
                return new Scanned(engine, from, to);
            }
        };
    }

    /** Answers every get with the same value and forgets what is put: what is measured with it is the wire. */
    static Store constant(Engine engine) {
        MemorySegment value = MemorySegment.ofArray(new byte[CONSTANT_VALUE_BYTES]).fill((byte) '.');
        return new Store() {
            @Override
            public <C, R> R get(MemorySegment key, C context, ValueReader<C, R> reader) {
                return reader.read(context, value, 0, CONSTANT_VALUE_BYTES);
            }

            @Override
            public void put(MemorySegment key, MemorySegment value, WriteTrace trace) {
                // forgotten
            }

            @Override
            public void delete(MemorySegment key, WriteTrace trace) {
                // there is nothing
            }

            @Override
            public RangeStream.Records range(MemorySegment from, MemorySegment to) {
                return new Scanned(engine, from, to);
            }
        };
    }

    /** A scan of the engine. */
    final class Scanned implements RangeStream.Records {
        private final Scan scan;
        private Entry entry;

        private Scanned(Engine engine, MemorySegment from, MemorySegment to) {
            try {
                scan = engine.scan(from, to);
            } catch (RuntimeException e) {
                throw Trouble.of(e);
            }
        }

        @Override
        public boolean next() {
            try {
                entry = scan.hasNext() ? scan.next() : null;
                return entry != null;
            } catch (RuntimeException e) {
                throw Trouble.of(e);
            }
        }

        @Override
        public MemorySegment key() {
            return entry.key();
        }

        @Override
        public MemorySegment value() {
            return entry.value();
        }

        @Override
        public void close() {
            scan.close();
        }
    }
}
