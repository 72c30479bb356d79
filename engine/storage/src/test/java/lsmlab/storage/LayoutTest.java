// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import lsmlab.storage.options.Options;
import lsmlab.storage.stats.Layout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LayoutTest {
    @Test
    void itIsThatOfMemtablesAndRuns(@TempDir Path directory) throws IOException {
        try (Engine engine = Engine.open(directory, Options.defaults())) {
            engine.put(new byte[] {1}, new byte[10]);
            engine.flush();
            engine.put(new byte[] {2}, new byte[10]);
            Layout layout = engine.layout();
            assertTrue(layout.activeBytes() > 0);
            assertEquals(List.of(), layout.frozenBytes());
            assertNull(layout.stall());
            assertEquals(1, layout.runs().size());
            assertEquals(new Layout.Run(0, layout.runs().getFirst().id(), 1, engine.stats().held().tableBytes(), false), layout.runs().getFirst());
        }
    }

    @Test
    void runsThatACompactionReadsAreMarked() throws IOException, InterruptedException {
        MemoryDisk disk = new MemoryDisk();
        CountDownLatch go = new CountDownLatch(1);
        try (Engine engine = Engine.open(disk, Options.defaults())) {
            for (byte key = 0; key < 2; key++) {
                engine.put(new byte[] {1}, new byte[] {key});
                engine.flush();
            }
            assertEquals(List.of(false, false), engine.layout().runs().stream().map(Layout.Run::merging).toList());
            disk.holdCreates(".table.tmp", go);
            Thread merge = Thread.ofPlatform().start(() -> assertDoesNotThrow(engine::compact));
            while (!engine.layout().runs().stream().allMatch(Layout.Run::merging)) {
                Thread.onSpinWait();
            }
            go.countDown();
            merge.join();
            assertEquals(List.of(false), engine.layout().runs().stream().map(Layout.Run::merging).toList());
        }
    }
}
