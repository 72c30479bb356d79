// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import static lsmlab.storage.Bytes.of;
import static lsmlab.storage.Bytes.text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import lsmlab.storage.options.Backpressure;
import lsmlab.storage.options.Compaction;
import lsmlab.storage.options.Options;
import lsmlab.storage.stats.StallCause;
import lsmlab.storage.stats.Stats;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Writes while flushes are held up. */
class BackpressureTest {
    private static final String VALUE = "v".repeat(100);

    private final MemoryDisk disk = new MemoryDisk();
    private final CountDownLatch go = new CountDownLatch(1);

    private static Options options(Backpressure backpressure) {
        return Options.defaults().withFlushThresholdBytes(100).withBackpressure(backpressure).withCompaction(Compaction.NONE);
    }

    /** The first write fills the active memtable, the second freezes it, the third finds no place for another. */
    private Engine full(Backpressure backpressure) throws IOException {
        disk.holdCreates("0000000001.table.tmp", go);
        Engine engine = Engine.open(disk, options(backpressure));
        engine.put(of("a"), of(VALUE));
        engine.put(of("b"), of(VALUE));
        assertEquals("mem 1 | frozen 1 | L0 0", engine.shape());
        return engine;
    }

    @Test
    void runsThatWereLetBeUnderLoadAreMergedWhenFlushesPause() throws Exception {
        try (Engine engine = Engine.open(disk, Options.defaults())) {
            for (int i = 0; i < 11; i++) {
                engine.put(of("a"), of("value" + i));
                engine.flush();
            }
            for (int waited = 0; engine.stats().held().runs() > 8 && waited < 600; waited++) {
                TimeUnit.MILLISECONDS.sleep(100); // the pause itself
            }
            assertTrue(engine.stats().held().runs() <= 8, engine.shape());
            assertEquals("value10", text(engine.get(of("a"))));
        }
    }

    @Test
    void failRefusesAndLosesNothing() throws IOException {
        try (Engine engine = full(Backpressure.FAIL)) {
            assertThrows(WriteRefusedException.class, () -> engine.put(of("c"), of("3")));
            assertEquals("a=%s b=%s".formatted(VALUE, VALUE), text(engine.scan(null, null)));
            go.countDown();
            engine.flush();
            engine.put(of("c"), of("3"));
            assertEquals("3", text(engine.get(of("c"))));
        }
    }

    @ParameterizedTest
    @EnumSource(value = Backpressure.class, names = {"BLOCK", "SPIN", "SLOWDOWN"})
    void othersWaitForTheFlush(Backpressure backpressure) throws Exception {
        try (Engine engine = full(backpressure)) {
            Thread writer = Thread.ofPlatform().start(() -> engine.put(of("c"), of("3")));
            while (engine.layout().stall() != StallCause.MEMTABLES) {
                Thread.onSpinWait();
            }
            assertEquals(null, text(engine.get(of("c"))));
            go.countDown();
            writer.join();
            assertEquals("3", text(engine.get(of("c"))));
            engine.flush();
            Stats stats = engine.stats();
            Stats.Stalls waits = stats.waits().stallsByCause().get(StallCause.MEMTABLES);
            assertEquals(1, waits.count());
            assertTrue(waits.longestNanos() > 0 && waits.longestNanos() == waits.totalNanos());
        }
    }

    @Test
    void slowdownSpreadsWritesOverAFlush() throws Exception {
        try (Engine engine = Engine.open(disk, options(Backpressure.SLOWDOWN).withFlushThresholdBytes(10_000))) {
            for (int i = 0; i < 200; i++) { // some flushes, so that their rate is known
                engine.put(of("k" + i), of(VALUE));
            }
            engine.flush();
            Map<StallCause, Stats.Stalls> before = engine.stats().waits().stallsByCause();
            disk.holdCreates("%010d.table.tmp".formatted(engine.stats().held().tables() + 1), go);
            for (int i = 0; i < 120; i++) { // one memtable is frozen, the next fills
                engine.put(of("k" + i), of(VALUE));
            }
            Map<StallCause, Stats.Stalls> after = engine.stats().waits().stallsByCause();
            go.countDown();
            assertTrue(after.get(StallCause.SLOWDOWN).count() > before.get(StallCause.SLOWDOWN).count());
            assertEquals(before.get(StallCause.MEMTABLES), after.get(StallCause.MEMTABLES));
        }
    }

    @Test
    void aYoungerTableIsPublishedAfterTheOlder() throws Exception {
        disk.holdCreates("0000000001.table.tmp", go);
        Options options = options(Backpressure.BLOCK).withFlushThreads(2).withMaxFrozen(3);
        try (Engine engine = Engine.open(disk, options)) {
            for (int i = 0; i < 3; i++) {
                engine.put(of("same"), of(VALUE + i));
            }
            while (!disk.list().contains("0000000002.table.tmp")) {
                Thread.onSpinWait();
            }
            assertEquals("mem 1 | frozen 2 | L0 0", engine.shape());
            go.countDown();
            engine.flush();
            assertEquals("mem 0 | frozen 0 | L0 3", engine.shape());
            assertEquals(VALUE + 2, text(engine.get(of("same"))));
        }
    }
}
