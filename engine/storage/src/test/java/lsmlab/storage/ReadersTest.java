// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import static lsmlab.storage.Bytes.of;
import static lsmlab.storage.Bytes.text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.nio.file.Path;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import lsmlab.storage.options.Options;
import lsmlab.storage.options.Pruning;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Gets while memtables are flushed, runs are merged, and maps of keys come and go. */
class ReadersTest {
    @TempDir
    Path directory;

    @ParameterizedTest
    @EnumSource(value = Pruning.class, names = {"BLOOM", "MAP"})
    void readersSeeEveryAcknowledgedWrite(Pruning pruning) throws Exception {
        try (Engine engine = Engine.open(directory, Options.defaults().withPruning(pruning).withFlushThresholdBytes(2_000))) {
            AtomicBoolean writing = new AtomicBoolean(true);
            AtomicReference<Throwable> failure = new AtomicReference<>();
            var acknowledged = new AtomicInteger();
            Runnable read = () -> {
                try {
                    while (writing.get()) {
                        int newest = acknowledged.get();
                        for (int i = Math.max(0, newest - 50); i < newest; i++) {
                            assertEquals("value" + i, text(engine.get(of("key" + i))));
                        }
                        if (newest > 0) {
                            int older = ThreadLocalRandom.current().nextInt(newest);
                            assertEquals("value" + older, text(engine.get(of("key" + older))));
                            assertNull(engine.get(of("absent" + older)));
                        }
                    }
                } catch (Throwable e) {
                    failure.set(e);
                }
            };
            Thread one = Thread.ofPlatform().start(read);
            Thread two = Thread.ofPlatform().start(read);
            try {
                for (int i = 0; i < 20_000; i++) {
                    engine.put(of("key" + i), of("value" + i));
                    acknowledged.set(i + 1);
                    if (pruning == Pruning.MAP && i % 100 == 0) {
                        engine.awaitCompactions();
                    }
                }
            } finally {
                writing.set(false);
            }
            one.join();
            two.join();
            assertNull(failure.get());
            assertEquals(pruning == Pruning.MAP, engine.stats().reads().prunedByMap() > 0);
        }
    }
}
