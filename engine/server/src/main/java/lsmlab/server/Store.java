// SPDX-License-Identifier: Apache-2.0
package lsmlab.server;

import java.lang.foreign.MemorySegment;
import lsmlab.storage.Engine;
import lsmlab.storage.Scan;
import lsmlab.storage.ValueReader;

/** The store behind the server, with the methods of {@link Engine}. */
interface Store {
    <C, R> R get(MemorySegment key, C context, ValueReader<C, R> reader);

    void put(MemorySegment key, MemorySegment value);

    void delete(MemorySegment key);

    Scan scan(MemorySegment from, MemorySegment to);

    static Store of(Engine engine) {
        return new Store() {
            @Override
            public <C, R> R get(MemorySegment key, C context, ValueReader<C, R> reader) {
                return engine.get(key, context, reader);
            }

            @Override
            public void put(MemorySegment key, MemorySegment value) {
                engine.put(key, value);
            }

            @Override
            public void delete(MemorySegment key) {
                engine.delete(key);
            }

            @Override
            public Scan scan(MemorySegment from, MemorySegment to) {
                return engine.scan(from, to);
            }
        };
    }

    /** Answers every get with the same value and forgets what is put: what is measured with it is the wire. */
    static Store constant(Engine engine, int valueBytes) {
        MemorySegment value = MemorySegment.ofArray(new byte[valueBytes]).fill((byte) '.');
        return new Store() {
            @Override
            public <C, R> R get(MemorySegment key, C context, ValueReader<C, R> reader) {
                return reader.read(context, value, 0, valueBytes);
            }

            @Override
            public void put(MemorySegment key, MemorySegment value) {
                // forgotten
            }

            @Override
            public void delete(MemorySegment key) {
                // there is nothing
            }

            @Override
            public Scan scan(MemorySegment from, MemorySegment to) {
                return engine.scan(from, to);
            }
        };
    }
}
