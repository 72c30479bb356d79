// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import lsmlab.storage.MemoryDisk.Crash;
import lsmlab.storage.entries.Entry;
import lsmlab.storage.options.Backpressure;
import lsmlab.storage.options.Compaction;
import lsmlab.storage.options.Options;
import lsmlab.storage.options.Pruning;
import lsmlab.storage.options.Reload;
import lsmlab.storage.options.Search;
import lsmlab.storage.options.Wal;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;

/** Random operations, reopenings and crashes under random options, against a sorted map; a failure is made as short as possible. */
class ModelTest {
    private static final HexFormat HEX = HexFormat.of();

    /** One step of a history; prints as something that can be read. */
    sealed interface Step {
        record Put(String key, int valueBytes) implements Step {}

        record Delete(String key) implements Step {}

        record PutAndDelete(String put, int valueBytes, String delete) implements Step {}

        record Get(String key) implements Step {}

        record GetAll(List<String> keys) implements Step {}

        record Scan(String from, String to) implements Step {}

        record ScanAll() implements Step {}

        record Flush() implements Step {}

        record Compact() implements Step {}

        record Rest() implements Step {}

        record Reopen(Compaction compaction) implements Step {}

        record Crashed() implements Step {}
    }

    @Property(tries = 300)
    void behavesAsASortedMap(@ForAll("steps") List<Step> steps, @ForAll("options") Options opened) throws IOException {
        NavigableMap<byte[], byte[]> model = new TreeMap<>(Arrays::compareUnsigned);
        MemoryDisk disk = new MemoryDisk();
        Options options = opened;
        Engine engine = Engine.open(disk, options);
        try {
            for (int i = 0; i < steps.size(); i++) {
                switch (steps.get(i)) {
                    case Step.Put put -> put(engine, model, put.key(), put.valueBytes(), i);
                    case Step.Delete(String key) -> delete(engine, model, key);
                    case Step.PutAndDelete both -> write(engine, model, both, i);
                    case Step.Get(String key) -> {
                        MemorySegment found = engine.get(segment(key));
                        assertArrayEquals(model.get(HEX.parseHex(key)), found == null ? null : found.toArray(JAVA_BYTE));
                    }
                    case Step.GetAll(List<String> keys) -> {
                        List<byte[]> found = engine.getAll(keys.stream().map(HEX::parseHex).toList());
                        assertEquals(keys.size(), found.size());
                        for (int k = 0; k < keys.size(); k++) {
                            assertArrayEquals(model.get(HEX.parseHex(keys.get(k))), found.get(k));
                        }
                    }
                    case Step.Scan(String from, String to) -> assertEquals(text(model, from, to), text(engine.scan(segment(from), segment(to))));
                    case Step.ScanAll() -> assertEquals(text(model), text(engine.scan(null, null)));
                    case Step.Flush() -> engine.flush();
                    case Step.Compact() -> engine.compact();
                    case Step.Rest() -> engine.awaitCompactions();
                    case Step.Reopen(Compaction another) -> {
                        engine.close();
                        options = options.withCompaction(another);
                        engine = Engine.open(disk, options);
                    }
                    case Step.Crashed() -> {
                        if (options.wal() == Wal.NONE) {
                            engine.flush();
                        }
                        MemoryDisk left = disk.after(options.wal() == Wal.SYNC ? Crash.TORN : Crash.KILL, new Random(i));
                        engine.close();
                        disk = left;
                        engine = Engine.open(disk, options);
                    }
                }
            }
            assertEquals(text(model), text(engine.scan(null, null)));
        } finally {
            engine.close();
        }
    }

    private static String text(NavigableMap<byte[], byte[]> model, String from, String to) {
        boolean empty = Arrays.compareUnsigned(HEX.parseHex(from), HEX.parseHex(to)) >= 0;
        return empty ? "" : text(model.subMap(HEX.parseHex(from), HEX.parseHex(to)));
    }

    private static void write(Engine engine, NavigableMap<byte[], byte[]> model, Step.PutAndDelete both, int step) throws IOException {
        byte[] value = value(both.valueBytes(), step);
        model.put(HEX.parseHex(both.put()), value);
        model.remove(HEX.parseHex(both.delete()));
        engine.write(new Batch().put(segment(both.put()), MemorySegment.ofArray(value)).delete(segment(both.delete())));
    }

    private static void delete(Engine engine, NavigableMap<byte[], byte[]> model, String key) {
        model.remove(HEX.parseHex(key));
        engine.delete(segment(key));
    }

    private static void put(Engine engine, NavigableMap<byte[], byte[]> model, String key, int valueBytes, int step) {
        byte[] value = value(valueBytes, step);
        model.put(HEX.parseHex(key), value);
        engine.put(segment(key), MemorySegment.ofArray(value));
    }

    @Provide
    static Arbitrary<List<Step>> steps() {
        // Some hundred keys of 0 to 3 bytes, half of them above 127, and some of a length that needs more than one byte to tell.
        Arbitrary<String> keys = Arbitraries.oneOf(
                Arbitraries.of("00", "33", "66", "99", "cc", "ff").list().ofMaxSize(3).map(parts -> String.join("", parts)),
                Arbitraries.of("66".repeat(200), "66".repeat(201), "66".repeat(9_000) + "01"));
        Arbitrary<Integer> sizes = Arbitraries.frequencyOf(
                Tuple.of(40, Arbitraries.integers().between(0, 40)),
                Tuple.of(5, Arbitraries.integers().between(3_000, 5_000)),
                Tuple.of(1, Arbitraries.integers().between(250_000, 600_000)));
        Arbitrary<Step> step = Arbitraries.frequencyOf(
                Tuple.of(50, Combinators.combine(keys, sizes).as(Step.Put::new)),
                Tuple.of(15, keys.map(Step.Delete::new)),
                Tuple.of(5, Combinators.combine(keys, sizes, keys).as(Step.PutAndDelete::new)),
                Tuple.of(20, keys.map(Step.Get::new)),
                Tuple.of(5, keys.list().ofMaxSize(80).map(Step.GetAll::new)),
                Tuple.of(4, Combinators.combine(keys, keys).as(Step.Scan::new)),
                Tuple.of(1, Arbitraries.just(new Step.ScanAll())),
                Tuple.of(1, Arbitraries.just(new Step.Flush())),
                Tuple.of(1, Arbitraries.just(new Step.Compact())),
                Tuple.of(2, Arbitraries.just(new Step.Rest())),
                Tuple.of(1, Arbitraries.of(Compaction.values()).map(Step.Reopen::new)),
                Tuple.of(1, Arbitraries.just(new Step.Crashed())));
        return step.list().ofMaxSize(400);
    }

    @Provide
    static Arbitrary<Options> options() {
        Arbitrary<Options> base = Combinators.combine(
                Arbitraries.integers().between(100, 8_000), Arbitraries.of(Pruning.values()), Arbitraries.of(Search.values()),
                Arbitraries.of(Wal.values()), Arbitraries.of(Compaction.values()), Arbitraries.of(Reload.values()),
                Arbitraries.of(Backpressure.BLOCK, Backpressure.SPIN, Backpressure.SLOWDOWN))
                .as((threshold, pruning, search, wal, compaction, reload, backpressure) -> Options.defaults()
                        .withFlushThresholdBytes(threshold).withPruning(pruning).withSearch(search).withWal(wal)
                        .withCompaction(compaction).withReload(reload).withBackpressure(backpressure));
        return Combinators.combine(base, Arbitraries.integers().between(1, 3), Arbitraries.integers().between(1, 4))
                .as((options, flushThreads, maxFrozen) -> options.withFlushThreads(flushThreads).withMaxFrozen(maxFrozen));
    }

    private static byte[] value(int length, int seed) {
        byte[] value = new byte[length];
        new Random(seed).nextBytes(value);
        return value;
    }

    private static MemorySegment segment(String hex) {
        return MemorySegment.ofArray(HEX.parseHex(hex));
    }

    private static String text(Map<byte[], byte[]> map) {
        return map.entrySet().stream().map(e -> text(e.getKey(), e.getValue())).collect(Collectors.joining(" "));
    }

    private static String text(Scan scan) {
        try (scan) {
            Iterable<Entry> all = () -> (Iterator<Entry>) scan;
            return StreamSupport.stream(all.spliterator(), false)
                    .map(e -> text(e.key().toArray(JAVA_BYTE), e.value().toArray(JAVA_BYTE))).collect(Collectors.joining(" "));
        }
    }

    private static String text(byte[] key, byte[] value) {
        return HEX.formatHex(key) + "=" + value.length + ":" + Arrays.hashCode(value);
    }
}
