// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import lsmlab.storage.keys.Cursor;
import lsmlab.storage.keys.Lookup;
import lsmlab.storage.memtable.Memtable;
import lsmlab.storage.options.Options;
import lsmlab.storage.options.Pruning;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Test;

/** Whatever threads do to the store at the same time, the results are those of some order of the calls (Lincheck, stress). */
class LinearizabilityTest {
    private static final int FACTOR = Tests.ALL ? 10 : 1;
    private static final MemorySegment NO_STEM = MemorySegment.ofArray(new byte[0]);

    private static final Memtable BEFORE = new Memtable(1, NO_STEM); // so large that the next one has shortcuts and a filter

    static {
        for (int i = 0; i < 2_000; i++) {
            BEFORE.put(key(i % 10), Bytes.of("before"));
        }
        BEFORE.publish();
    }

    private static MemorySegment key(int number) {
        return Bytes.of("key" + number);
    }

    @Test
    void memtable() {
        new StressOptions().iterations(5 * FACTOR).invocationsPerIteration(300).threads(3)
                .actorsPerThread(3).actorsBefore(2).actorsAfter(1).minimizeFailedScenario(false).check(OneMemtable.class);
    }

    @Test
    void engineWithFlushesAndCompactions() {
        new StressOptions().iterations(4 * FACTOR).invocationsPerIteration(30).threads(3)
                .actorsPerThread(3).actorsBefore(3).actorsAfter(2).minimizeFailedScenario(false)
                .sequentialSpecification(SortedMap.class).check(WholeEngine.class);
    }

    /** One writer, several readers. */
    @Param(name = "key", gen = IntGen.class, conf = "1:3")
    @Param(name = "value", gen = IntGen.class, conf = "1:99")
    public static class OneMemtable {
        private final Memtable memtable = BEFORE.successor(2, 2_000);

        @Operation(nonParallelGroup = "writer")
        public void put(@Param(name = "key") int key, @Param(name = "value") int value) {
            memtable.put(key(key), Bytes.of("" + value));
            memtable.publish();
        }

        @Operation(nonParallelGroup = "writer")
        public void delete(@Param(name = "key") int key) {
            memtable.put(key(key), null);
            memtable.publish();
        }

        @Operation
        public String get(@Param(name = "key") int key) {
            Lookup lookup = new Lookup().of(key(key));
            return !memtable.find(lookup) ? "nothing" : lookup.isFound() ? lookup.read(null, (_, source, at, length) -> Bytes.text(source.asSlice(at, length))) : "tombstone";
        }

        @Operation
        public String scan() {
            StringBuilder all = new StringBuilder();
            for (Cursor cursor = memtable.cursor(null); cursor.next();) {
                all.append(Bytes.text(cursor.key())).append(cursor.tombstone ? " deleted"
                        : "=" + Bytes.text(cursor.bytes.asSlice(cursor.valueAt, cursor.valueLength))).append(' ');
            }
            return all.toString();
        }

        @Validate
        public void close() {
            memtable.close();
        }
    }

    /** Any number of writers and readers, while memtables are frozen, flushed and merged. */
    @Param(name = "key", gen = IntGen.class, conf = "1:3")
    @Param(name = "value", gen = IntGen.class, conf = "1:99")
    public static class WholeEngine {
        private final Engine engine;

        public WholeEngine() throws IOException {
            engine = Engine.open(new MemoryDisk(), Options.defaults().withPruning(Pruning.MAP).withFlushThresholdBytes(20));
        }

        @Operation
        public void put(@Param(name = "key") int key, @Param(name = "value") int value) {
            engine.put(key(key), Bytes.of("" + value));
        }

        @Operation
        public void swap(@Param(name = "key") int put, @Param(name = "key") int delete) {
            engine.write(new Batch().put(key(put), Bytes.of("swapped")).delete(key(delete)));
        }

        @Operation
        public void delete(@Param(name = "key") int key) {
            engine.delete(key(key));
        }

        @Operation
        public String get(@Param(name = "key") int key) {
            return Bytes.text(engine.get(key(key)));
        }

        @Operation
        public String scan() {
            try (Scan scan = engine.scan(null, null)) {
                return Bytes.text(scan);
            }
        }

        @Operation
        public void flush() {
            engine.flush();
        }

        @Operation
        public void compact() throws IOException {
            engine.compact();
        }

        /** A map of keys is made. */
        @Operation
        public void rest() throws IOException {
            engine.awaitCompactions();
        }

        @Validate
        public void close() throws IOException {
            engine.close();
        }
    }

    /** What the engine is in any order of the calls, one after the other. */
    public static class SortedMap {
        private final TreeMap<String, String> entries = new TreeMap<>();

        public void put(int key, int value) {
            entries.put("key" + key, "" + value);
        }

        public void swap(int put, int delete) {
            entries.put("key" + put, "swapped");
            entries.remove("key" + delete);
        }

        public void delete(int key) {
            entries.remove("key" + key);
        }

        public String get(int key) {
            return entries.get("key" + key);
        }

        public String scan() {
            return entries.entrySet().stream().map(Map.Entry::toString).collect(Collectors.joining(" "));
        }

        public void flush() {
            // changes nothing that a caller could see
        }

        public void compact() {
            // nor does this
        }

        public void rest() {
            // nor this
        }
    }
}
