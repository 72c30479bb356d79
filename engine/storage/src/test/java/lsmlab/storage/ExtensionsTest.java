// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import static lsmlab.storage.Bytes.of;
import static lsmlab.storage.Bytes.text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import lsmlab.storage.options.Backpressure;
import lsmlab.storage.options.Extensions;
import lsmlab.storage.options.MergePolicy;
import lsmlab.storage.options.Options;
import lsmlab.storage.options.TableFilter;
import lsmlab.storage.options.WriteThrottle;
import lsmlab.storage.stats.StallCause;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ExtensionsTest {
    @TempDir
    Path directory;

    private Engine open(Extensions extensions) throws IOException {
        return Engine.open(directory, Options.defaults().withFlushThresholdBytes(1 << 20).withExtensions(extensions));
    }

    /** Knows the keys themselves, and forgets one. */
    private static final class Exact implements TableFilter {
        private byte[][] keys;

        @Override
        public void build(byte[][] keys) {
            this.keys = keys;
        }

        @Override
        public boolean mayHold(byte[] key) {
            return Arrays.stream(keys).anyMatch(known -> Arrays.equals(known, key)) && !new String(key, StandardCharsets.UTF_8).equals("forgotten");
        }
    }

    @Test
    void aFilterIsGivenTheKeysInOrderAndDecidesWhatIsSearched() throws IOException {
        List<String> built = new ArrayList<>();
        try (Engine engine = open(new Extensions(() -> new TableFilter() {
            private final Exact exact = new Exact();

            @Override
            public void build(byte[][] keys) {
                Arrays.stream(keys).forEach(key -> built.add(new String(key, StandardCharsets.UTF_8)));
                exact.build(keys);
            }

            @Override
            public boolean mayHold(byte[] key) {
                return exact.mayHold(key);
            }
        }, null, null))) {
            for (String key : List.of("forgotten", "a", "c")) {
                engine.put(of(key), of("value of " + key));
            }
            engine.flush();
            assertEquals(List.of("a", "c", "forgotten"), built);
            assertEquals("value of a", text(engine.get(of("a"))));
            assertNull(engine.get(of("b")));
            assertNull(engine.get(of("forgotten")), "the engine believes what it is told");
            assertEquals(1, engine.stats().reads().tablesAsked());
            assertEquals(2, engine.stats().reads().prunedByBloom());
        }
    }

    @Test
    void aThrottleSeesWhatIsWrittenAndDelaysIt() throws IOException {
        List<WriteThrottle.State> states = new ArrayList<>();
        try (Engine engine = open(new Extensions(null, state -> {
            states.add(state);
            return 20_000_000;
        }, null))) {
            long start = System.nanoTime();
            engine.put(of("key"), of("value"));
            assertTrue(System.nanoTime() - start >= 20_000_000);
            assertEquals(0, states.getFirst().frozen());
            assertEquals(1, engine.stats().waits().stallsByCause().get(StallCause.SLOWDOWN).count());
            engine.put(of("key"), of("value"));
            assertEquals(states.getFirst().groupBytes(), states.getLast().memtableBytes(), "both count what a table would take");
            assertTrue(states.getFirst().groupBytes() > "keyvalue".length());
        }
    }

    @Test
    void aMergePolicyChoosesAndItsResultMovesUpALevel() throws IOException {
        MergePolicy pairs = (bytes, levels, maxRuns) -> levels.length > 1 && levels[0] == levels[1] ? 2 : 0;
        try (Engine engine = open(new Extensions(null, null, pairs))) {
            for (int i = 0; i < 7; i++) {
                engine.put(of("key"), of("value " + i)); // the same key, or tables would be moved and not merged
                engine.flush();
                engine.awaitCompactions();
            }
            assertEquals(3, engine.stats().held().runs(), engine.shape()); // 7 = 4 + 2 + 1
            assertEquals(4, engine.stats().background().compactions());
            assertEquals("value 6", text(engine.get(of("key"))));
        }
    }

    @Test
    void aMergePolicyThatIsContentWithManyRunsLetsNoWriterWait() throws IOException {
        MergePolicy late = (bytes, levels, maxRuns) -> levels.length < 40 ? 0 : levels.length;
        byte[] value = new byte[1 << 20]; // a memtable each
        try (Engine engine = open(new Extensions(null, null, late))) {
            assertTimeoutPreemptively(Duration.ofSeconds(60), () -> {
                for (int i = 0; i < 60; i++) {
                    engine.put("key%02d".formatted(i).getBytes(StandardCharsets.US_ASCII), value);
                }
            });
            engine.flush();
            engine.awaitCompactions();
            assertTrue(engine.stats().held().runs() < 40, engine.shape());
        }
    }

    /** Between a flush and the policy's answer there is a moment. */
    @Test
    void aMergePolicyThatIsContentRefusesNoWriteWhileItThinks() throws Exception {
        CountDownLatch thinking = new CountDownLatch(1);
        MergePolicy slow = (bytes, levels, maxRuns) -> {
            if (levels.length > 30) {
                try {
                    thinking.await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }
            return 0;
        };
        Options options = Options.defaults().withFlushThresholdBytes(1 << 20).withExtensions(new Extensions(null, null, slow));
        try (Engine engine = Engine.open(directory, options.withBackpressure(Backpressure.FAIL)); AutoCloseable _ = thinking::countDown) {
            byte[] value = new byte[1 << 20]; // a memtable
            for (int i = 0; i < 30; i++) {
                engine.put("key%02d".formatted(i).getBytes(StandardCharsets.US_ASCII), value);
                engine.flush();
                engine.awaitCompactions();
            }
            engine.put("a".getBytes(StandardCharsets.US_ASCII), value);
            engine.flush();
            engine.put("b".getBytes(StandardCharsets.US_ASCII), value);
            engine.put("c".getBytes(StandardCharsets.US_ASCII), value); // freezes a memtable while the policy is asked
            thinking.countDown();
            assertEquals(value.length, engine.get(of("c")).byteSize());
        }
    }

    @Test
    void aMergePolicyThatChoosesWhatIsNotThereStopsWrites() throws IOException {
        Engine engine = open(new Extensions(null, null, (bytes, levels, maxRuns) -> 1));
        String message = assertThrows(UncheckedIOException.class, () -> { // the policy is asked in another thread
            while (true) {
                engine.put(of("a"), of("1"));
                engine.flush();
            }
        }).getMessage();
        assertTrue(message.matches(".*chose 1 of \\d+ runs.*"), message);
        assertThrows(IOException.class, engine::close);
    }
}
