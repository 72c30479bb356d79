// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import static lsmlab.storage.Bytes.utf8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import lsmlab.storage.options.Compaction;
import lsmlab.storage.options.Options;
import lsmlab.storage.options.Pruning;
import lsmlab.storage.options.Search;
import lsmlab.storage.stats.Stats;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class KeysTogetherTest {
    @TempDir
    Path directory;

    @ParameterizedTest
    @EnumSource(Pruning.class)
    void keysTogetherAreFoundAndCountedAsOneByOne(Pruning pruning) throws IOException {
        for (Search search : Search.values()) {
            try (Engine engine = Engine.open(directory.resolve(search.name()), Options.defaults().withPruning(pruning).withSearch(search).withCompaction(Compaction.NONE))) {
                List<byte[]> keys = new ArrayList<>();
                for (int i = 0; i < 300; i++) {
                    keys.add(utf8("key%04d".formatted(i % 290)));
                    if (i % 3 != 0) {
                        engine.put(keys.getLast(), utf8("value " + i));
                    }
                    if (i % 7 == 0) {
                        engine.delete(keys.get(i / 2));
                    }
                    if (i % 60 == 59) {
                        engine.flush();
                    }
                }
                engine.awaitCompactions(); // the map of keys is made
                List<byte[]> oneByOne = keys.stream().map(engine::get).collect(Collectors.toList());
                Stats.Reads one = engine.stats().reads();
                List<byte[]> together = engine.getAll(keys);
                Stats.Reads both = engine.stats().reads();
                for (int i = 0; i < keys.size(); i++) {
                    assertArrayEquals(oneByOne.get(i), together.get(i));
                }
                assertTrue(oneByOne.contains(null) && oneByOne.stream().filter(Objects::nonNull).count() > 100);
                assertEquals(2 * one.gets(), both.gets());
                assertEquals(2 * one.tablesAsked(), both.tablesAsked());
                assertEquals(2 * one.prunedByBloom(), both.prunedByBloom());
                assertEquals(2 * one.prunedByRange(), both.prunedByRange());
                assertEquals(2 * one.bloomFalsePositives(), both.bloomFalsePositives());
                assertEquals(2 * one.prunedByMap(), both.prunedByMap());
                assertEquals(2 * one.mapFalsePositives(), both.mapFalsePositives());
                assertEquals(2 * one.blocksRead(), both.blocksRead());
                assertEquals(2 * one.probes(), both.probes());
                assertEquals(List.of(), engine.getAll(List.of()));
            }
        }
    }
}
