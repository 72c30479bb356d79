// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import static lsmlab.storage.Bytes.of;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import lsmlab.storage.entries.Entry;
import lsmlab.storage.options.Compaction;
import lsmlab.storage.options.Options;
import lsmlab.storage.options.Wal;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Stores that are larger than the heap of the process that holds them. */
class SmallHeapTest {
    @TempDir
    Path directory;

    private void run(String heap, Class<?> main, int amount) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(Tests.java(List.of("-Xmx" + heap, "-ea"), main, directory.toString(), Integer.toString(amount)))
                .inheritIO().start();
        assertEquals(0, process.waitFor(), "see what the process wrote");
    }

    @Test
    void dataOfTwentyHeapsAreWrittenScannedAndMerged() throws Exception {
        run("16m", ManyBytes.class, 320);
    }

    @Test
    void aValueOfTheLargestSizeNeedsItsOwnSizeOnTheHeapAndNoMore() throws Exception {
        run("160m", LargestValue.class, 1);
    }

    @Test
    void tenThousandTables() throws Exception {
        assumeTrue(Tests.ALL, "scripts/test --all runs it");
        run("128m", ManyTables.class, 10_000);
    }

    static final class ManyBytes {
        public static void main(String[] arguments) throws IOException {
            int megabytes = Integer.parseInt(arguments[1]);
            byte[] value = new byte[10_000];
            Options options = Options.defaults().withFlushThresholdBytes(8 << 20);
            try (Engine engine = Engine.open(Path.of(arguments[0]), options)) {
                Random random = new Random(3);
                for (int i = 0; i < megabytes * 100; i++) {
                    random.nextBytes(value);
                    engine.put(of("key%08d".formatted(i * 7_919L % (megabytes * 100))), MemorySegment.ofArray(value));
                }
                check(engine, megabytes * 100);
                engine.compact();
                check(engine, megabytes * 100);
            }
        }

        private static void check(Engine engine, int entries) {
            long count = 0;
            try (Scan scan = engine.scan(null, null)) {
                for (; scan.hasNext(); scan.next()) {
                    count++;
                }
            }
            if (count != entries) {
                throw new AssertionError("%d of %d entries".formatted(count, entries));
            }
        }
    }

    static final class LargestValue {
        public static void main(String[] arguments) throws IOException {
            MemorySegment value = MemorySegment.ofArray(new byte[(int) Entry.MAX_VALUE_BYTES]);
            new Random(4).nextBytes((byte[]) value.heapBase().orElseThrow());
            for (Wal wal : Wal.values()) {
                try (Engine engine = Engine.open(Path.of(arguments[0]), Options.defaults().withWal(wal))) {
                    engine.put(of("k"), value);
                    engine.flush();
                    if (engine.get(of("k")).mismatch(value) != -1) {
                        throw new AssertionError("another value");
                    }
                }
            }
        }
    }

    static final class ManyTables {
        public static void main(String[] arguments) throws IOException {
            int tables = Integer.parseInt(arguments[1]);
            Options options = Options.defaults().withCompaction(Compaction.NONE).withWal(Wal.NONE);
            try (Engine engine = Engine.open(Path.of(arguments[0]), options)) {
                for (int i = 0; i < tables; i++) {
                    engine.put(of("key" + i), of("value" + i));
                    engine.put(of("zzz"), of("newest" + i));
                    engine.flush();
                }
            }
            try (Engine engine = Engine.open(Path.of(arguments[0]), options)) {
                for (int i = 0; i < tables; i += 97) {
                    if (!("value" + i).equals(Bytes.text(engine.get(of("key" + i))))) {
                        throw new AssertionError("key" + i);
                    }
                }
                long count = 0;
                try (Scan scan = engine.scan(null, null)) {
                    for (; scan.hasNext(); scan.next()) {
                        count++;
                    }
                }
                if (count != tables + 1) {
                    throw new AssertionError("%d entries".formatted(count));
                }
                engine.compact();
                if (engine.stats().held().tables() != 1 || !("newest" + (tables - 1)).equals(Bytes.text(engine.get(of("zzz"))))) {
                    throw new AssertionError(engine.shape());
                }
            }
        }
    }
}
