// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import static lsmlab.storage.Bytes.of;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.io.TempDir;

/** Random operations and reopenings, against a sorted map. -Dseed=N repeats one history. */
class ModelTest {
    private static final int OPERATIONS = 4_000;

    @TempDir
    Path directory;

    @RepeatedTest(20)
    void behavesAsASortedMap() throws IOException {
        long seed = Long.getLong("seed", new Random().nextLong());
        Random random = new Random(seed);
        Options options = Options.defaults()
                .withFlushThresholdBytes(1 + random.nextInt(5_000))
                .withPruning(Pruning.values()[random.nextInt(Pruning.values().length)]);
        TreeMap<String, String> model = new TreeMap<>();
        Engine engine = Engine.open(directory, options);
        try {
            for (int step = 0; step < OPERATIONS; step++) {
                String context = "seed %d, step %d, %s".formatted(seed, step, options);
                String key = "k" + random.nextInt(300);
                switch (random.nextInt(100)) {
                    case 0 -> {
                        engine.close();
                        engine = Engine.open(directory, options);
                    }
                    case 1 -> engine.flush();
                    case 2, 3 -> {
                        String to = "k" + random.nextInt(300);
                        boolean empty = key.compareTo(to) >= 0;
                        assertEquals(empty ? "" : text(model.subMap(key, to)), text(engine.scan(of(key), of(to))), context);
                    }
                    case 4 -> assertEquals(text(model), text(engine.scan(null, null)), context);
                    default -> {
                        if (random.nextInt(3) == 0) {
                            assertEquals(model.get(key), text(engine.get(of(key))), context);
                        } else if (random.nextInt(4) == 0) {
                            model.remove(key);
                            engine.delete(of(key));
                        } else {
                            String value = "v".repeat(random.nextInt(30)) + step;
                            model.put(key, value);
                            engine.put(of(key), of(value));
                        }
                    }
                }
            }
        } finally {
            engine.close();
        }
    }

    private static String text(Map<String, String> map) {
        return map.entrySet().stream().map(e -> e.getKey() + "=" + e.getValue()).collect(Collectors.joining(" "));
    }

    private static String text(Iterator<Entry> entries) {
        return Bytes.text(entries);
    }

    private static String text(MemorySegment value) {
        return Bytes.text(value);
    }
}
