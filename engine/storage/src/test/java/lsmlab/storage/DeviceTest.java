// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import static lsmlab.storage.Bytes.of;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import lsmlab.storage.disk.ModelledDevice;
import lsmlab.storage.options.DeviceModel;
import lsmlab.storage.options.Options;
import lsmlab.storage.stats.Stats;
import lsmlab.storage.system.PageFaults;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DeviceTest {
    private static final int PAGE = ModelledDevice.PAGE_BYTES;
    private static final long MB_PER_S = 1_000_000;

    @Test
    void pagesThatAreNotCachedCostATransferAndASeekUnlessTheyFollow() {
        ModelledDevice device = new ModelledDevice(new DeviceModel(1_000, 4_096 * MB_PER_S, 100 * PAGE, 0, 0, 1));
        device.read(1, 0, 3 * PAGE);
        assertEquals(new Stats.Device(3, 3, 1, 1_000_000 + 3 * 1_000), device.stats());
        device.read(1, 100, 1);
        assertEquals(3, device.stats().pagesTransferred(), "it is cached");
        device.read(1, 3 * PAGE - 1, 2);
        assertEquals(4, device.stats().pagesTransferred(), "one of the two pages is cached");
        assertEquals(1, device.stats().seeks(), "the other one follows the last that was read");
        device.read(2, 0, 1);
        device.write(2, 0, 1);
        assertEquals(6, device.stats().pagesTransferred(), "a write is transferred though it is cached");
    }

    @Test
    void timeIsReallySpent() {
        ModelledDevice device = new ModelledDevice(new DeviceModel(3_000, 1_000 * MB_PER_S, 0, 0, 0, 1));
        long start = System.nanoTime();
        for (int i = 0; i < 5; i++) {
            device.read(1, 10L * i * PAGE, 1);
        }
        assertTrue(System.nanoTime() - start >= device.stats().chargedNanos());
        assertTrue(device.stats().chargedNanos() >= 15_000_000);
    }

    @Test
    void aSyncOfTheLogTakesTheModelsTimeAndNoPage() {
        ModelledDevice device = new ModelledDevice(new DeviceModel(0, 1_000 * MB_PER_S, 0, 0, 20_000, 1));
        long start = System.nanoTime();
        device.sync();
        assertTrue(System.nanoTime() - start >= 20_000_000);
        assertEquals(new Stats.Device(0, 0, 0, 20_000_000), device.stats());
    }

    @Test
    void theSameSeedCostsTheSameAnotherOneDoesNot(@TempDir Path directory) throws IOException {
        Stats.Device first = workload(directory.resolve("1"), 7);
        assertEquals(first, workload(directory.resolve("2"), 7));
        assertTrue(!first.equals(workload(directory.resolve("3"), 8)), "another page is evicted");
        assertTrue(first.pagesTransferred() < first.pagesAsked());
        try (Engine engine = Engine.open(directory.resolve("1"), Options.defaults())) {
            assertNull(engine.stats().machine().device());
        }
    }

    private static Stats.Device workload(Path directory, long seed) throws IOException {
        DeviceModel model = new DeviceModel(1, 100_000 * MB_PER_S, 20 * PAGE, 0, 0, seed);
        try (Engine engine = Engine.open(directory, Options.defaults().withDevice(model))) {
            for (int i = 0; i < 2_000; i++) {
                engine.put(of("key" + i * 7_919 % 2_000), of("v".repeat(100)));
            }
            engine.flush();
            Random random = new Random(1);
            for (int i = 0; i < 2_000; i++) {
                engine.get(of("key" + random.nextInt(2_000)));
            }
            return engine.stats().machine().device();
        }
    }

    @Test
    void theFirstTransfersMayBeFree() {
        ModelledDevice device = new ModelledDevice(new DeviceModel(1_000, 4_096 * MB_PER_S, 100 * PAGE, 2, 0, 1));
        device.read(1, 0, PAGE);
        device.read(1, 10 * PAGE, PAGE);
        assertEquals(new Stats.Device(2, 2, 0, 0), device.stats());
        device.read(1, 20 * PAGE, PAGE);
        assertEquals(new Stats.Device(3, 3, 1, 1_000_000 + 1_000), device.stats());
    }

    @Test
    void nonsenseIsRefused() {
        assertThrows(IllegalArgumentException.class, () -> new DeviceModel(-1, 1, 1, 0, 0, 1));
        assertThrows(IllegalArgumentException.class, () -> new DeviceModel(1, 0, 1, 0, 0, 1));
        assertThrows(IllegalArgumentException.class, () -> new DeviceModel(1, 1, -1, 0, 0, 1));
        assertThrows(IllegalArgumentException.class, () -> new DeviceModel(1, 1, 1, -1, 0, 1));
        assertThrows(IllegalArgumentException.class, () -> new DeviceModel(1, 1, 1, 1, -1, 1));
    }

    @Test
    void pagesOfAClosedStoreAreDropped(@TempDir Path directory) throws IOException {
        try (Engine engine = Engine.open(directory, Options.defaults())) {
            for (int i = 0; i < 1_000; i++) {
                engine.put(of("key" + i), of("v".repeat(4_000)));
            }
        }
        assertEquals(System.getProperty("os.name").equals("Linux"), PageCache.drop(directory));
        PageFaults before = PageFaults.ofThisProcess();
        try (Engine engine = Engine.open(directory, Options.defaults())) {
            assertEquals(1_000, engine.space().entries());
        }
        assumeTrue(before != null && !Files.getFileStore(directory).type().equals("tmpfs"), "these pages can't be dropped");
        assertTrue(PageFaults.ofThisProcess().major() > before.major(), "everything was read, nothing from the disk");
    }
}
