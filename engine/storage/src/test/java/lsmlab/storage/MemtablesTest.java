// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import lsmlab.storage.options.Compaction;
import lsmlab.storage.options.Options;
import lsmlab.storage.options.Wal;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** One memtable after another: what one has learned of its keys speeds up searches in the next, and must never mislead them. */
class MemtablesTest {
    private static final int WRITES = 4_000; // enough for a memtable to teach the next one something
    private static final int MEMTABLES = 4;
    private static final int REPEATED = 100; // values so long that a memtable takes several megabytes, in which another may have left its nodes

    @TempDir
    Path directory;

    /** How the i-th key of a memtable looks. */
    private interface Form {
        String key(int memtable, int i, Random random);
    }

    enum Keys {
        DIGITS((_, _, random) -> "%016d".formatted(random.nextInt(20_000))),
        ANY_BYTES((_, _, random) -> {
            char[] key = new char[1 + random.nextInt(11)];
            for (int at = 0; at < key.length; at++) {
                key[at] = (char) random.nextInt(256);
            }
            return new String(key);
        }),
        SHORT_ONES((_, _, random) -> "k" + Integer.toString(random.nextInt(3_000), 36)),
        FEW_WRITTEN_OFTEN((_, _, random) -> "%010d".formatted(random.nextInt(10))),
        ASCENDING((memtable, i, _) -> "%010d".formatted(memtable * WRITES + i)),
        ASCENDING_WITH_A_LOOK_BACK((_, i, random) -> "%010d".formatted(i % 5 == 4 ? random.nextInt(WRITES) : i)),
        DESCENDING((memtable, i, _) -> "%010d".formatted(memtable * WRITES - i + WRITES)),
        OTHERS_EACH_TIME((memtable, _, random) -> (memtable % 2 == 0 ? "user/" : "order/") + random.nextInt(5_000) * (memtable + 1)),
        MOSTLY_ALIKE((_, i, random) -> i % 50 == 0 ? "" + random.nextInt() : "the same beginning of all keys " + random.nextInt(3));

        private final Form form;

        Keys(Form form) {
            this.form = form;
        }
    }

    private static byte[] bytes(String key) {
        return key.getBytes(StandardCharsets.ISO_8859_1);
    }

    @ParameterizedTest
    @EnumSource(Keys.class)
    void eachMemtableHoldsWhatWasWrittenWhateverTheOneBeforeHeld(Keys keys) throws IOException {
        Random random = new Random(keys.ordinal());
        TreeMap<String, String> expected = new TreeMap<>();
        try (Engine engine = Engine.open(directory, Options.defaults().withWal(Wal.NONE).withCompaction(Compaction.NONE))) {
            for (int memtable = 0; memtable < MEMTABLES; memtable++) {
                for (int i = 0; i < WRITES; i++) {
                    String key = keys.form.key(memtable, i, random);
                    if (i % 10 == 9) {
                        engine.delete(bytes(key));
                        expected.remove(key);
                    } else {
                        engine.put(bytes(key), bytes(value(key, i)));
                        expected.put(key, value(key, i));
                    }
                    if (i % 8 == 0) {
                        assertEquals(expected.get(key), found(engine, key));
                        String other = keys.form.key(memtable, i, random);
                        assertEquals(expected.get(other), found(engine, other));
                    }
                }
                for (Map.Entry<String, String> entry : expected.entrySet()) {
                    assertEquals(entry.getValue(), found(engine, entry.getKey()));
                    assertEquals(expected.get(entry.getKey() + "\0"), found(engine, entry.getKey() + "\0"));
                }
                List<String> scanned = new ArrayList<>();
                try (Scan scan = engine.scan(null, null)) {
                    scan.forEachRemaining(entry -> scanned.add(new String(entry.key().toArray(JAVA_BYTE), StandardCharsets.ISO_8859_1)));
                }
                assertEquals(List.copyOf(expected.keySet()), scanned);
                engine.flush();
            }
        }
    }

    private static String value(String key, int i) {
        return (key + i).repeat(REPEATED);
    }

    private static String found(Engine engine, String key) {
        byte[] value = engine.get(bytes(key));
        return value == null ? null : new String(value, StandardCharsets.ISO_8859_1);
    }

    @Test
    void aMemtableFollowsABatchOfEntriesThatAreEachLargerThanOne() throws IOException {
        try (Engine engine = Engine.open(directory, Options.defaults().withWal(Wal.NONE).withFlushThresholdBytes(100))) {
            Batch batch = new Batch();
            for (int i = 0; i < WRITES; i++) {
                String key = scattered(i);
                batch.put(MemorySegment.ofArray(bytes(key)), MemorySegment.ofArray(bytes(value(key, i))));
            }
            engine.write(batch);
            engine.flush();
            engine.put(bytes("after"), bytes("it"));
            assertEquals("it", found(engine, "after"));
            assertEquals(value(scattered(7), 7), found(engine, scattered(7)));
        }
    }

    @Test
    void readersFindWhatIsWrittenMeanwhile() throws Exception {
        try (Engine engine = Engine.open(directory, Options.defaults().withWal(Wal.NONE).withCompaction(Compaction.NONE))) {
            for (int memtable = 0; memtable < MEMTABLES; memtable++) {
                int first = memtable * WRITES;
                AtomicInteger written = new AtomicInteger();
                AtomicInteger missed = new AtomicInteger();
                Random random = new Random(memtable);
                FutureTask<Void> reader = new FutureTask<>(() -> {
                    while (written.get() < WRITES) {
                        int known = written.get();
                        if (known > 0 && engine.get(bytes(scattered(first + random.nextInt(known)))) == null) {
                            missed.incrementAndGet();
                        }
                    }
                    return null;
                });
                Thread.ofPlatform().start(reader);
                for (int i = 0; i < WRITES; i++) {
                    engine.put(bytes(scattered(first + i)), bytes(value("value", i)));
                    written.incrementAndGet();
                }
                reader.get();
                assertEquals(0, missed.get());
                assertNull(engine.get(bytes(scattered(first + WRITES))));
                engine.flush();
            }
        }
    }

    /** Another one for each number below a hundred thousand and seven, which is prime. */
    private static String scattered(int i) {
        return "%016d".formatted(i * 7_919L % 100_007);
    }
}
