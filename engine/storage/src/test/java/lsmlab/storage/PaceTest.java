// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import static lsmlab.storage.Bytes.of;
import static lsmlab.storage.Bytes.text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import lsmlab.storage.options.Options;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Merges that are held to a rate; one of a byte a second would take hours. */
@Timeout(60)
class PaceTest {
    private static final String VALUE = "v".repeat(20_000);
    private static final int RUNS_MERGED = 13;

    private final MemoryDisk disk = new MemoryDisk();

    private Engine withAHeldMerge() throws Exception {
        Engine engine = Engine.open(disk, Options.defaults().withCompactionBytesPerSecond(1));
        for (int i = 0; i < RUNS_MERGED; i++) {
            flush(engine, i);
        }
        while (engine.layout().runs().stream().noneMatch(run -> run.merging())) {
            TimeUnit.MILLISECONDS.sleep(1);
        }
        return engine;
    }

    private static void flush(Engine engine, int number) throws IOException {
        for (int i = 0; i < 10; i++) {
            engine.put(of("key" + i), of(number + VALUE));
        }
        engine.flush();
    }

    @Test
    void takesItsTime() {
        Pace pace = new Pace(1 << 20, () -> false);
        long start = System.nanoTime();
        for (int i = 0; i < 256; i++) {
            pace.read(1 << 10);
        }
        assertTrue(System.nanoTime() - start >= 250_000_000, "a quarter of a megabyte at a megabyte a second");
    }

    @Test
    void readsAndWritesGoOnWhileAMergeIsHeld() throws Exception {
        try (Engine engine = withAHeldMerge()) {
            flush(engine, 77);
            assertTrue(text(engine.get(of("key3"))).startsWith("77v"));
            assertEquals(0, engine.stats().background().compactionWrittenBytes());
        }
    }

    @Test
    void isReleasedBeforeWritesWouldWait() throws Exception {
        try (Engine engine = withAHeldMerge()) {
            for (int i = 0; i < 40; i++) {
                flush(engine, i);
            }
            while (engine.stats().background().compactionWrittenBytes() == 0) {
                TimeUnit.MILLISECONDS.sleep(1);
            }
        }
    }

    @Test
    void isReleasedForThoseWhoAskedForTheMerge() throws Exception {
        try (Engine engine = withAHeldMerge()) {
            engine.compact();
            assertEquals(1, engine.stats().held().runs());
        }
    }

    @Test
    void closingDoesNotWaitForAHeldMerge() throws Exception {
        Engine engine = withAHeldMerge();
        assertTimeoutPreemptively(Duration.ofSeconds(30), engine::close);
    }
}
