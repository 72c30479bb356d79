// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import static lsmlab.storage.Bytes.of;
import static lsmlab.storage.Bytes.text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.Comparator;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Collectors;
import lsmlab.storage.MemoryDisk.Crash;
import lsmlab.storage.options.Compaction;
import lsmlab.storage.options.Options;
import lsmlab.storage.options.Wal;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * One history, and a disk that fails after its n-th change, for every n: what a reopening finds is what was acknowledged, with or without
 * the one write that was under way.
 */
class CrashTest {
    private static final int STEPS = 90;

    @ParameterizedTest
    @CsvSource({"SYNC,POWER,TIERED", "SYNC,TORN,LEVELED", "SYNC,KILL,NONE", "OS,KILL,TIERED", "OS,KILL,LEVELED"})
    void everyAcknowledgedWriteSurvivesACrashAfterAnyChange(Wal wal, Crash crash, Compaction compaction) throws IOException {
        Options options = Options.defaults().withWal(wal).withCompaction(compaction).withFlushThresholdBytes(150);
        int changes = 0;
        for (boolean completed = false; !completed; changes++) {
            Random random = new Random(changes);
            History history = new History();
            MemoryDisk disk = new MemoryDisk().failAfter(changes);
            completed = history.runOn(disk, options);
            MemoryDisk left = disk.after(crash, random);
            String found = contents(left, options);
            String context = "%s after %d changes".formatted(crash, changes);
            assertTrue(found.equals(history.acknowledged()) || found.equals(history.withTheOneUnderWay()),
                    () -> context + "\nfound        " + found + "\nacknowledged " + history.acknowledged());
            assertEquals(found, contents(left, options), "a second opening finds the same, " + context);
        }
        assertTrue(changes > 150, "only " + changes + " changes: the history does too little");
    }

    /** Under wal os a power cut may lose the last writes, but not one that was flushed, and no older one than those it keeps. */
    @ParameterizedTest
    @CsvSource({"POWER", "TORN"})
    void aPowerCutWithoutSyncsLeavesAnEarlierMoment(Crash crash) throws IOException {
        Options options = Options.defaults().withWal(Wal.OS).withFlushThresholdBytes(1 << 20);
        for (int seed = 0; seed < 300; seed++) {
            Random random = new Random(seed);
            MemoryDisk disk = new MemoryDisk();
            Engine engine = Engine.open(disk, options);
            int flushed = random.nextInt(20);
            for (int i = 0; i < 40; i++) {
                if (i == flushed) {
                    engine.flush();
                }
                engine.put(of("k%02d".formatted(i)), of("v".repeat(random.nextInt(50))));
            }
            String found = contents(disk.after(crash, random), options);
            int kept = found.isEmpty() ? 0 : found.split(" ").length;
            assertTrue(kept >= flushed, "seed %d kept %d of %d flushed ones".formatted(seed, kept, flushed));
            for (int i = 0; i < kept; i++) {
                assertTrue(found.contains("k%02d=".formatted(i)), "seed %d lost k%02d and kept a newer one".formatted(seed, i));
            }
            engine.close();
        }
    }

    /** A torn end is cut off for good: writes after it must not look like writes after a loss. */
    @Test
    void aStoreThatWasTornCanBeWrittenAndTornAgain() throws IOException {
        Options options = Options.defaults().withCompaction(Compaction.NONE);
        MemoryDisk disk = new MemoryDisk();
        StringBuilder expected = new StringBuilder();
        for (int i = 0; i < 5; i++) {
            Engine engine = Engine.open(disk, options);
            engine.put(of("k" + i), of("v"));
            expected.append("k").append(i).append("=v ");
            engine.put(of("torn"), of("v".repeat(100)));
            MemoryDisk left = disk.after(Crash.KILL, new Random());
            engine.close();
            String log = left.list().stream().filter(name -> name.endsWith(".log")).max(Comparator.naturalOrder()).orElseThrow();
            byte[] bytes = left.bytes(log);
            left.set(log, Arrays.copyOf(bytes, bytes.length - 50));
            disk = left;
            assertEquals(expected.toString().strip(), contents(disk.after(Crash.KILL, new Random()), options));
        }
    }

    private static String contents(MemoryDisk disk, Options options) throws IOException {
        try (Engine engine = Engine.open(disk, options); Scan all = engine.scan(null, null)) {
            return text(all);
        }
    }

    /** A fixed sequence of writes, flushes, compactions and reopenings, and what of it was acknowledged. */
    private static final class History {
        private final NavigableMap<String, String> model = new TreeMap<>();
        private NavigableMap<String, String> next = model;

        /** False when the disk failed before the end. */
        boolean runOn(MemoryDisk disk, Options options) {
            Random random = new Random(5);
            Engine engine = null;
            try {
                engine = Engine.open(disk, options);
                for (int i = 0; i < STEPS; i++) {
                    if (i % 41 == 40) {
                        engine.close();
                        engine = Engine.open(disk, options);
                    } else if (i % 29 == 28) {
                        engine.compact();
                    } else if (i % 13 == 12) {
                        engine.flush();
                    } else {
                        write(engine, i, random);
                    }
                }
                engine.close();
            } catch (IOException | UncheckedIOException e) {
                abandon(engine);
            }
            return !disk.hasFailed();
        }

        /** Ends the engine's threads; what that writes fails, too. */
        private static void abandon(Engine engine) {
            if (engine != null) {
                try {
                    engine.close();
                } catch (IOException e) {
                    // The disk has failed.
                }
            }
        }

        private void write(Engine engine, int step, Random random) {
            String key = "k" + random.nextInt(30);
            next = new TreeMap<>(model);
            if (step % 7 == 6) {
                next.remove(key);
                engine.delete(of(key));
            } else if (step % 11 == 10) {
                next.put(key, "batch" + step);
                next.remove("k3");
                engine.write(new Batch().put(of(key), of("batch" + step)).delete(of("k3")));
            } else {
                next.put(key, "v" + step);
                engine.put(of(key), of("v" + step));
            }
            model.clear();
            model.putAll(next);
        }

        String acknowledged() {
            return text(model);
        }

        String withTheOneUnderWay() {
            return text(next);
        }

        private static String text(NavigableMap<String, String> map) {
            return map.entrySet().stream().map(e -> e.getKey() + "=" + e.getValue()).collect(Collectors.joining(" "));
        }
    }
}
