// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import static lsmlab.storage.Bytes.of;
import static lsmlab.storage.Bytes.text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import lsmlab.storage.options.Compaction;
import lsmlab.storage.options.Options;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What there was no room for is done when there is some, at whatever step it was missing, without a restart. */
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
class RoomTest {
    private final MemoryDisk disk = new MemoryDisk();
    private final AtomicInteger refused = new AtomicInteger();

    private void put(Engine engine, String key, String value) {
        while (true) {
            try {
                engine.put(of(key), of(value));
                engine.flush();
                return;
            } catch (WriteRefusedException e) {
                refused.incrementAndGet(); // until it is taken again
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {".table", "MANIFEST"})
    void forAName(String name) throws Exception {
        try (Engine engine = Engine.open(disk, Options.defaults().withCompaction(Compaction.NONE))) {
            put(engine, "a", "1");
            disk.refuseNames(name);
            Thread writer = Thread.ofPlatform().start(() -> {
                for (int i = 0; i < 3; i++) {
                    put(engine, "b" + i, "2");
                }
            });
            while (refused.get() == 0) {
                Thread.onSpinWait();
            }
            assertEquals("1", text(engine.get(of("a"))));
            disk.refuseNames(null);
            writer.join();
            put(engine, "c", "3");
            assertNull(engine.stats().trouble());
            try (Engine after = Engine.open(disk.after(MemoryDisk.Crash.POWER, new Random()), Options.defaults())) {
                for (String key : new String[] {"a", "b0", "b1", "b2", "c"}) {
                    assertNotNull(after.get(of(key)), key);
                }
            }
        }
    }

    /** Each try writes the disk full. */
    @Test
    void forAMergeWhichIsNotTriedWithEachFlush() throws IOException {
        String value = "v".repeat(100_000);
        try (Engine engine = Engine.open(disk, Options.defaults())) {
            for (int i = 0; i < 8; i++) {
                engine.put(of("shared"), of("value")); // so that tables are merged, not moved
                put(engine, "key" + i, value);
            }
            engine.awaitCompactions();
            disk.setRoomForTables(Long.MAX_VALUE - disk.usableBytes() + 150_000);
            while (engine.stats().trouble() == null) {
                put(engine, "shared", "value");
                engine.awaitCompactions();
            }
            long start = System.nanoTime();
            long tries = engine.stats().background().compactions();
            int flushes = 40;
            for (int i = 0; i < flushes; i++) {
                put(engine, "shared", "value" + i);
            }
            tries = engine.stats().background().compactions() - tries;
            assertTrue(tries <= 1 + (System.nanoTime() - start) / 400_000_000 && tries < flushes, tries + " tries");
            disk.setRoomForTables(Long.MAX_VALUE);
            while (engine.stats().trouble() != null) {
                Thread.onSpinWait(); // with room it is tried soon
            }
            assertEquals("value39", text(engine.get(of("shared"))));
            assertEquals(value, text(engine.get(of("key3"))));
        }
    }
}
