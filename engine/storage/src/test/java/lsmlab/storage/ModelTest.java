// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.io.TempDir;

/** Random operations and reopenings, against a sorted map. -Dseed=N repeats one history. */
class ModelTest {
    private static final int OPERATIONS = 3_000;
    private static final int LARGE_VALUE_BYTES = 600_000;

    @TempDir
    Path directory;

    @RepeatedTest(20)
    void behavesAsASortedMap() throws IOException {
        long seed = Long.getLong("seed", new Random().nextLong());
        Random random = new Random(seed);
        Options options = Options.defaults()
                .withFlushThresholdBytes(200 + random.nextInt(8_000))
                .withPruning(Pruning.values()[random.nextInt(Pruning.values().length)]);
        NavigableMap<byte[], byte[]> model = new TreeMap<>(Arrays::compareUnsigned);
        Engine engine = Engine.open(directory, options);
        try {
            for (int step = 0; step < OPERATIONS; step++) {
                String context = "seed %d, step %d, %s".formatted(seed, step, options);
                byte[] key = key(random);
                switch (random.nextInt(100)) {
                    case 0 -> {
                        engine.close();
                        engine = Engine.open(directory, options);
                    }
                    case 1 -> engine.flush();
                    case 2, 3 -> {
                        byte[] to = key(random);
                        boolean empty = Arrays.compareUnsigned(key, to) >= 0;
                        assertEquals(empty ? "" : text(model.subMap(key, to)), text(engine.scan(segment(key), segment(to))), context);
                    }
                    case 4 -> assertEquals(text(model), text(engine.scan(null, null)), context);
                    default -> {
                        if (random.nextInt(3) == 0) {
                            MemorySegment found = engine.get(segment(key));
                            assertArrayEquals(model.get(key), found == null ? null : found.toArray(JAVA_BYTE), context);
                        } else if (random.nextInt(4) == 0) {
                            model.remove(key);
                            engine.delete(segment(key));
                        } else {
                            byte[] value = new byte[random.nextInt(500) == 0 ? LARGE_VALUE_BYTES : random.nextInt(40)];
                            random.nextBytes(value);
                            model.put(key, value);
                            engine.put(segment(key), segment(value));
                        }
                    }
                }
            }
        } finally {
            engine.close();
        }
    }

    /** One of some hundred keys of 0 to 3 bytes, half of them above 127. */
    private static byte[] key(Random random) {
        byte[] key = new byte[random.nextInt(4)];
        for (int i = 0; i < key.length; i++) {
            key[i] = (byte) (random.nextInt(6) * 51);
        }
        return key;
    }

    private static MemorySegment segment(byte[] bytes) {
        return MemorySegment.ofArray(bytes);
    }

    private static String text(Map<byte[], byte[]> map) {
        return map.entrySet().stream().map(e -> text(e.getKey(), e.getValue())).collect(Collectors.joining(" "));
    }

    private static String text(Iterator<Entry> entries) {
        Iterable<Entry> all = () -> entries;
        return StreamSupport.stream(all.spliterator(), false)
                .map(e -> text(e.key().toArray(JAVA_BYTE), e.value().toArray(JAVA_BYTE))).collect(Collectors.joining(" "));
    }

    private static String text(byte[] key, byte[] value) {
        return HexFormat.of().formatHex(key) + "=" + value.length + ":" + Arrays.hashCode(value);
    }
}
