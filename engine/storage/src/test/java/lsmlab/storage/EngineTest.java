// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import static lsmlab.storage.Bytes.of;
import static lsmlab.storage.Bytes.text;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import lsmlab.storage.options.Compaction;
import lsmlab.storage.options.Options;
import lsmlab.storage.options.Pruning;
import lsmlab.storage.options.Reload;
import lsmlab.storage.options.Search;
import lsmlab.storage.options.Wal;
import lsmlab.storage.stats.Space;
import lsmlab.storage.stats.Stats;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class EngineTest {
    @TempDir
    Path directory;

    private Engine open() throws IOException {
        return Engine.open(directory, Options.defaults());
    }

    @Test
    void newestValueWinsWhereverItIs() throws IOException {
        try (Engine engine = open()) {
            engine.put(of("a"), of("old"));
            engine.put(of("b"), of("1"));
            engine.flush();
            engine.put(of("a"), of("new"));
            assertEquals("mem 1 | frozen 0 | L0 1", engine.shape());
            assertEquals("new", text(engine.get(of("a"))));
            assertEquals("1", text(engine.get(of("b"))));
            engine.flush();
            assertEquals("new", text(engine.get(of("a"))));
            assertEquals("a=new b=1", text(engine.scan(null, null)));
        }
    }

    @Test
    void tombstoneHidesWhatTablesHold() throws IOException {
        try (Engine engine = open()) {
            engine.put(of("a"), of("1"));
            engine.flush();
            engine.delete(of("a"));
            engine.delete(of("never there"));
            assertNull(engine.get(of("a")));
            engine.flush();
            assertNull(engine.get(of("a")));
            assertEquals("", text(engine.scan(null, null)));
        }
        try (Engine engine = open()) {
            assertNull(engine.get(of("a")));
            engine.put(of("a"), of("again"));
            assertEquals("again", text(engine.get(of("a"))));
        }
    }

    @Test
    void emptyKeysAndValuesAreValues() throws IOException {
        try (Engine engine = open()) {
            engine.put(of(""), of(""));
            engine.flush();
            assertEquals("", text(engine.get(of(""))));
        }
        try (Engine engine = open()) {
            assertEquals("", text(engine.get(of(""))));
        }
    }

    @Test
    void spaceTellsWhatLivesFromWhatIsTaken() throws IOException {
        try (Engine engine = open()) {
            assertEquals(new Space(0, 0, 0), engine.space());
            engine.put(of("a"), of("old"));
            engine.put(of("b"), of("12345"));
            engine.flush();
            engine.put(of("a"), of("new"));
            engine.delete(of("b"));
            Space overwritten = engine.space();
            assertEquals(1, overwritten.entries());
            assertEquals(4, overwritten.liveBytes());
            assertTrue(overwritten.totalBytes() > engine.stats().held().tableBytes(), overwritten.toString());
            engine.compact();
            assertEquals(new Space(1, 4, engine.stats().held().tableBytes()), engine.space());
            assertTrue(engine.space().amplification() < overwritten.amplification(), engine.space().toString());
        }
    }

    @Test
    void keysAreOrderedUnsigned() throws IOException {
        try (Engine engine = open()) {
            engine.put(of("é"), of("high"));
            engine.put(of("z"), of("low"));
            engine.put(of("zz"), of("longer"));
            assertEquals("z=low zz=longer é=high", text(engine.scan(null, null)));
            engine.flush();
            assertEquals("z=low zz=longer é=high", text(engine.scan(null, null)));
        }
    }

    @Test
    void scanIsHalfOpenAndMergesAllSources() throws IOException {
        try (Engine engine = open()) {
            engine.put(of("a"), of("1"));
            engine.put(of("c"), of("1"));
            engine.flush();
            engine.put(of("b"), of("2"));
            engine.put(of("c"), of("2"));
            engine.flush();
            engine.put(of("d"), of("3"));
            assertEquals("b=2 c=2", text(engine.scan(of("b"), of("d"))));
            assertEquals("a=1 b=2", text(engine.scan(null, of("c"))));
            assertEquals("c=2 d=3", text(engine.scan(of("bb"), null)));
            assertEquals("", text(engine.scan(of("c"), of("c"))));
            assertEquals("", text(engine.scan(of("d"), of("a"))));
        }
    }

    @ParameterizedTest
    @EnumSource(Pruning.class)
    void explainSaysWhatAGetAsks(Pruning pruning) throws IOException {
        Options options = Options.defaults().withPruning(pruning).withSearch(Search.BINARY).withCompaction(Compaction.NONE);
        try (Engine engine = Engine.open(directory, options)) {
            engine.put(of("a"), of("1"));
            engine.put(of("c"), of("1"));
            engine.flush();
            engine.put(of("x"), of("2"));
            engine.flush();
            engine.put(of("b"), of("3"));
            engine.put(of("d"), of("3"));
            engine.flush();
            engine.awaitCompactions(); // the map of keys is made
            List<String> expected = switch (pruning) {
                case NONE -> List.of("memtable: not there", "0000000003.table: not there, 2 keys compared and 2 blocks read so far",
                        "0000000002.table: not there, 3 keys compared and 3 blocks read so far",
                        "0000000001.table: found, 5 keys compared and 5 blocks read so far", "=> 1 byte: \"1\"");
                case BLOOM -> List.of("memtable: not there", "0000000003.table: skipped by its Bloom filter",
                        "0000000002.table: skipped, key outside its range",
                        "0000000001.table: found, 2 keys compared and 2 blocks read so far", "=> 1 byte: \"1\"");
                case MAP -> List.of("memtable: not there", "0000000003.table: skipped by the map of keys", "0000000002.table: skipped by the map of keys",
                        "0000000001.table: found, 2 keys compared and 2 blocks read so far", "=> 1 byte: \"1\"");
                case RANGE -> List.of("memtable: not there", "0000000003.table: not there, 2 keys compared and 2 blocks read so far",
                        "0000000002.table: skipped, key outside its range",
                        "0000000001.table: found, 4 keys compared and 4 blocks read so far", "=> 1 byte: \"1\"");
                case RANGE_FROM_FILE -> List.of("memtable: not there",
                        "0000000003.table: not there, 4 keys compared and 4 blocks read so far",
                        "0000000002.table: skipped, key outside its range",
                        "0000000001.table: found, 10 keys compared and 10 blocks read so far", "=> 1 byte: \"1\"");
            };
            assertEquals(expected, engine.explain(of("c")));
            engine.get(of("c"));
            Stats stats = engine.stats();
            assertEquals(pruning == Pruning.NONE ? 3 : pruning.asksFilters() ? 1 : 2, stats.reads().tablesAsked());
            assertEquals(pruning == Pruning.NONE || pruning == Pruning.MAP ? 0 : 1, stats.reads().prunedByRange());
            assertEquals(pruning == Pruning.BLOOM ? 1 : 0, stats.reads().prunedByBloom());
            assertEquals(pruning == Pruning.MAP ? 2 : 0, stats.reads().prunedByMap());
            assertEquals(pruning == Pruning.MAP, stats.held().mapBytes() > 0);
        }
    }

    @Test
    void arraysAreAsGoodAsSegments() throws IOException {
        try (Engine engine = Engine.open(directory, Options.defaults())) {
            byte[] value = {1, 2, 3};
            engine.put(new byte[] {7}, value);
            value[0] = 9;
            assertArrayEquals(new byte[] {1, 2, 3}, engine.get(new byte[] {7}), "what is given is copied");
            engine.flush();
            assertArrayEquals(new byte[] {1, 2, 3}, engine.get(new byte[] {7}));
            engine.delete(new byte[] {7});
            assertNull(engine.get(new byte[] {7}));
            engine.put(new byte[] {7}, new byte[0]);
            assertArrayEquals(new byte[0], engine.get(new byte[] {7}));
            assertEquals("=> 0 bytes: \"\"", engine.explain(MemorySegment.ofArray(new byte[] {7})).getLast());
        }
    }

    @Test
    void fullMemtableIsFlushedInTheBackground() throws IOException {
        try (Engine engine = Engine.open(directory, Options.defaults().withFlushThresholdBytes(10_000).withCompaction(Compaction.NONE))) {
            for (int i = 0; i < 1_000; i++) {
                engine.put(of("key" + i), of("v".repeat(100)));
            }
            engine.flush();
            Stats stats = engine.stats();
            assertEquals(1_000, stats.writes().puts());
            assertTrue(stats.held().tables() >= 10, stats.shape());
            assertEquals(stats.held().tables(), stats.background().flushes());
            assertEquals(stats.background().flushedBytes(), stats.held().tableBytes());
            for (int i = 0; i < 1_000; i++) {
                assertEquals("v".repeat(100), text(engine.get(of("key" + i))));
            }
        }
    }

    @Test
    void largeKeysAndValuesAreStoredAndTooLargeOnesRefused() throws IOException {
        byte[] value = new byte[5 << 20];
        new Random(7).nextBytes(value);
        try (Engine engine = open()) {
            engine.put(of("k".repeat(64 << 10)), MemorySegment.ofArray(value));
            engine.flush();
            assertEquals(-1, engine.get(of("k".repeat(64 << 10))).mismatch(MemorySegment.ofArray(value)));
            assertThrows(IllegalArgumentException.class, () -> engine.put(of("k".repeat((64 << 10) + 1)), of("")));
            assertThrows(IllegalArgumentException.class, () -> engine.put(of("k"), MemorySegment.ofArray(new byte[(64 << 20) + 1])));
        }
    }

    @Test
    void writersWaitForAFullMemtableAndGoOn() throws Exception {
        try (Engine engine = Engine.open(directory, Options.defaults().withFlushThresholdBytes(500))) {
            List<Thread> writers = new ArrayList<>();
            for (int writer = 0; writer < 4; writer++) {
                String prefix = "w" + writer + "-";
                writers.add(Thread.ofPlatform().start(() -> {
                    for (int i = 0; i < 500; i++) {
                        engine.put(of(prefix + i), of("v".repeat(100)));
                    }
                }));
            }
            for (Thread writer : writers) {
                writer.join();
            }
            engine.flush();
            Stats stats = engine.stats();
            assertEquals(2_000, stats.writes().puts());
            assertTrue(stats.waits().stalls() > 0 && stats.waits().stallNanos() >= stats.waits().longestStallNanos() && stats.waits().longestStallNanos() > 0);
            Scan all = engine.scan(null, null);
            int count = 0;
            for (; all.hasNext(); all.next()) {
                count++;
            }
            assertEquals(2_000, count);
        }
    }

    @ParameterizedTest
    @EnumSource(Reload.class)
    void longKeysOutliveTheTablesTheyCameFrom(Reload reload) throws IOException {
        Options options = Options.defaults().withReload(reload);
        String stem = "long ".repeat(100);
        try (Engine engine = Engine.open(directory, options.withCompaction(Compaction.NONE))) {
            for (int i = 0; i < 12; i++) {
                engine.put(of(stem + i), of("v" + i));
                engine.flush();
            }
        }
        try (Engine engine = Engine.open(directory, options)) {
            engine.compact();
            for (int i = 0; i < 12; i++) {
                assertEquals("v" + i, text(engine.get(of(stem + i))));
                engine.put(of(stem + i), of("again" + i));
            }
            assertEquals("again7", text(engine.scan(of(stem + 7), of(stem + 8))).split("=")[1]);
        }
    }

    @ParameterizedTest
    @EnumSource(Wal.class)
    void anyThreadMayWriteWhatOnlyItCanRead(Wal wal) throws Exception {
        try (Engine engine = Engine.open(directory, Options.defaults().withWal(wal))) {
            List<Thread> writers = new ArrayList<>();
            for (int w = 0; w < 4; w++) {
                int writer = w;
                writers.add(Thread.ofPlatform().start(() -> {
                    for (int i = 0; i < 200; i++) {
                        try (Arena arena = Arena.ofConfined()) {
                            engine.put(arena.allocateFrom("key%d-%d".formatted(writer, i)), arena.allocateFrom("value"));
                        }
                    }
                }));
            }
            for (Thread writer : writers) {
                writer.join();
            }
            assertEquals(800, engine.stats().writes().puts());
        }
    }

    @ParameterizedTest
    @EnumSource(Wal.class)
    void anInterruptedThreadWritesAsOthersDo(Wal wal) throws IOException {
        try (Engine engine = Engine.open(directory, Options.defaults().withWal(wal).withFlushThresholdBytes(1_000))) {
            for (int i = 0; i < 100; i++) {
                Thread.currentThread().interrupt();
                engine.put(of("key" + i), of("v".repeat(100)));
                assertTrue(Thread.interrupted(), "its interrupt is its own");
            }
            assertEquals(100, engine.stats().writes().puts());
        }
    }
}
