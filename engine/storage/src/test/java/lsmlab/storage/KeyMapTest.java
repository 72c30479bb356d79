// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import static lsmlab.storage.Bytes.of;
import static lsmlab.storage.Bytes.text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import lsmlab.storage.options.Compaction;
import lsmlab.storage.options.Options;
import lsmlab.storage.options.Pruning;
import lsmlab.storage.stats.Stats;
import lsmlab.storage.table.KeyMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The map of keys: it never hides a key, is seldom wrong, and is made while the store rests. */
class KeyMapTest {
    private static final Options MAPPED = Options.defaults().withPruning(Pruning.MAP).withCompaction(Compaction.NONE);

    @TempDir
    Path directory;

    @ParameterizedTest
    @ValueSource(ints = {1, 47, 1_000, 300_000})
    void everyKeyIsInItsGroupAndFewOthersAreThere(int keys) {
        KeyMap map = new KeyMap(keys);
        Random random = new Random(25);
        long[] hashes = random.longs(keys).toArray();
        for (int i = 0; i < keys; i++) {
            map.add(hashes[i], 1 + i % KeyMap.MOST_GROUPS);
        }
        int unknown = 0;
        for (int i = 0; i < keys; i++) {
            int groups = map.groups(hashes[i]);
            assertTrue((groups & 1 << 1 + i % KeyMap.MOST_GROUPS) != 0, "key " + i);
            unknown += groups == KeyMap.ANY_GROUP ? 1 : 0;
        }
        int passed = 0;
        for (int i = 0; i < 100_000; i++) {
            int groups = map.groups(random.nextLong());
            passed += groups != 0 && groups != KeyMap.ANY_GROUP ? 1 : 0;
        }
        assertTrue(unknown <= keys / 10, unknown + " of " + keys);
        assertTrue(passed < 1_500, passed + " of 100,000 absent keys");
        assertTrue(map.bytes() * 8 < 22L * keys + 2_048, map.bytes() + " bytes");
        map.close();
    }

    /** Far more than it was made for. */
    @Test
    void aMapThatOverflowsHidesNothing() {
        KeyMap map = new KeyMap(100);
        for (long hash : new Random(1).longs(1_000).toArray()) {
            map.add(hash, 3);
        }
        for (long hash : new Random(1).longs(1_000).toArray()) {
            assertTrue((map.groups(hash) & 1 << 3) != 0);
        }
        map.close();
    }

    @Test
    void newestValuesAreFoundWithAMapAndAfterIt() throws IOException {
        try (Engine engine = Engine.open(directory, MAPPED)) {
            for (int run = 0; run < 5; run++) {
                for (int i = run; i < 500; i += 1 + run) {
                    engine.put(of("key" + i), of("run " + run));
                }
                engine.delete(of("key" + run * 7));
                engine.flush();
            }
            engine.awaitCompactions();
            assertEquals("run 0", text(engine.get(of("key6"))));
            assertEquals("run 1", text(engine.get(of("key1"))));
            assertEquals("run 4", text(engine.get(of("key4"))));
            assertNull(engine.get(of("key28")));
            long pruned = engine.stats().reads().prunedByMap();
            assertTrue(pruned > 0);
            engine.put(of("key1"), of("newer than the map"));
            engine.put(of("another"), of("unknown to it"));
            engine.flush();
            assertEquals("newer than the map", text(engine.get(of("key1"))));
            assertEquals("unknown to it", text(engine.get(of("another"))));
            assertEquals("run 4", text(engine.get(of("key4"))));
            engine.compact();
            assertEquals(0, engine.stats().held().mapBytes(), "one run needs none");
            assertEquals("newer than the map", text(engine.get(of("key1"))));
        }
    }

    @Test
    void mergesOfMappedRunsAreMapped() throws IOException {
        try (Engine engine = Engine.open(directory, MAPPED.withCompaction(Compaction.TIERED).withFlushThresholdBytes(4_000))) {
            for (int i = 0; i < 3_000; i++) {
                engine.put(of("key" + i * 37 % 3_000), of("value " + i));
                if (i % 500 == 499) {
                    engine.awaitCompactions();
                }
            }
            engine.flush();
            engine.awaitCompactions();
            Stats before = engine.stats();
            for (int i = 0; i < 3_000; i++) {
                assertEquals("value " + i, text(engine.get(of("key" + i * 37 % 3_000))));
                assertNull(engine.get(of("no key" + i)));
            }
            Stats after = engine.stats();
            assertTrue(after.reads().prunedByMap() - before.reads().prunedByMap() > 3_000, after.toString());
            assertTrue(after.held().mapBytes() > 0);
        }
    }

    /** Which file is damaged, the read says that meets it; all others go on without a map. */
    @Test
    void damageKeepsTheMapFromBeingMadeAndNothingElse() throws IOException {
        try (Engine engine = Engine.open(directory, MAPPED)) {
            for (int run = 0; run < 3; run++) {
                engine.put(of("key" + run), of("value " + run));
                engine.flush();
            }
        }
        Path table;
        try (var files = Files.list(directory)) {
            table = files.filter(file -> file.toString().endsWith(".table")).sorted().findFirst().orElseThrow();
        }
        byte[] bytes = Files.readAllBytes(table);
        bytes[3] ^= 1;
        Files.write(table, bytes);
        try (Engine engine = Engine.open(directory, MAPPED)) {
            engine.awaitCompactions();
            assertEquals(0, engine.stats().held().mapBytes());
            assertEquals("value 2", text(engine.get(of("key2"))));
            UncheckedIOException damage = assertThrows(UncheckedIOException.class, () -> engine.get(of("key0")));
            assertTrue(damage.getMessage().contains(table.getFileName().toString()), damage.getMessage());
            engine.put(of("key0"), of("mended"));
            assertEquals("mended", text(engine.get(of("key0"))));
        }
    }
}
