// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import static lsmlab.storage.Bytes.of;
import static lsmlab.storage.Bytes.text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import lsmlab.storage.options.Compaction;
import lsmlab.storage.options.Options;
import lsmlab.storage.stats.Stats;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;

/** What one write, or one reader, does wrong is its own affair. */
class RefusalTest {
    @TempDir
    Path directory;

    @Test
    void aSegmentThatIsClosedWhileItIsWrittenFailsItsOwnWriteOnly() throws Exception {
        int rounds = 300;
        AtomicInteger refused = new AtomicInteger();
        try (Engine engine = Engine.open(directory, Options.defaults())) {
            Thread other = Thread.ofPlatform().start(() -> {
                for (int i = 0; i < rounds; i++) {
                    engine.put(of("other" + i), of("v"));
                }
            });
            for (int i = 0; i < rounds; i++) {
                Arena arena = Arena.ofShared();
                MemorySegment value = arena.allocate(1 << 20).fill((byte) 'x');
                Thread closer = Thread.ofPlatform().start(arena::close);
                try {
                    engine.put(of("mine" + i), value);
                } catch (IllegalStateException e) {
                    refused.incrementAndGet();
                }
                closer.join();
            }
            other.join();
            for (int i = 0; i < rounds; i++) {
                assertEquals("v", text(engine.get(of("other" + i))));
                MemorySegment mine = engine.get(of("mine" + i));
                assertTrue(mine == null || mine.mismatch(MemorySegment.ofArray("x".repeat(1 << 20).getBytes())) < 0, "all of it or nothing");
            }
            assertNull(engine.stats().trouble());
        }
        assertTrue(refused.get() > 0, "no segment was closed in time");
        try (Engine again = Engine.open(directory, Options.defaults())) {
            assertEquals("v", text(again.get(of("other" + (rounds - 1)))));
            assertEquals(List.of(), again.cutAtOpening());
        }
    }

    /** The JVM interrupts a thread that is at a segment when another closes it, even if that thread only learns that it is closed. */
    @Test
    void aWriteOfASegmentThatWasJustClosedLeavesNoInterrupt() throws Exception {
        try (Engine engine = Engine.open(directory, Options.defaults())) {
            for (int i = 0; i < 3_000; i++) {
                Arena arena = Arena.ofShared();
                MemorySegment value = arena.allocate(1 << 10);
                Thread closer = Thread.ofPlatform().start(arena::close);
                while (arena.scope().isAlive()) {
                    Thread.onSpinWait();
                }
                assertThrows(IllegalStateException.class, () -> engine.put(of("a"), value));
                assertFalse(Thread.interrupted(), "in round " + i);
                closer.join();
            }
        }
    }

    @Test
    void theOldestScansAreEndedWhenTheyKeepTooMuch() throws IOException {
        Options options = Options.defaults().withFlushThresholdBytes(4 << 20).withCompaction(Compaction.NONE);
        MemorySegment value = MemorySegment.ofArray(new byte[64 << 10]);
        try (Engine engine = Engine.open(directory, options)) {
            List<Scan> scans = new ArrayList<>();
            for (int round = 0; round < 40; round++) {
                for (int i = 0; i < 64; i++) {
                    engine.put(of("k%02d %02d".formatted(round, i)), value);
                }
                scans.add(engine.scan(null, null));
                scans.getLast().next();
            }
            engine.flush();
            for (long deadline = System.nanoTime() + 10_000_000_000L; engine.stats().held().unreclaimedMemtableBytes() > 64 << 20 && System.nanoTime() < deadline;) {
                Thread.onSpinWait(); // the flusher comes to it after the flush
            }
            Stats stats = engine.stats();
            assertTrue(stats.held().endedScans() > 0 && stats.held().endedScans() < 40, stats.held().endedScans() + " were ended");
            assertTrue(stats.held().unreclaimedMemtableBytes() <= 64 << 20, stats.held().unreclaimedMemtableBytes() + " bytes are kept");
            assertEquals(40 - stats.held().endedScans(), stats.held().openScans());
            assertThrows(ScanEndedException.class, scans.getFirst()::next);
            scans.getLast().forEachRemaining(entry -> assertEquals(value.byteSize(), entry.value().byteSize()));
            scans.forEach(Scan::close);
            assertEquals(0, engine.stats().held().openScans());
        }
    }

    /** Its memory can't be freed as long as the write lasts. The store goes on without that. */
    @Test
    @Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
    void aValueOfAScanThatIsStillBeingWrittenToAChannelHoldsUpNothing() throws Exception {
        byte[] value = new byte[4 << 20]; // more than a pipe takes
        Pipe pipe = Pipe.open();
        try (Engine engine = Engine.open(directory, Options.defaults())) {
            engine.put(of("large"), MemorySegment.ofArray(value));
            Scan scan = engine.scan(null, null);
            ByteBuffer found = scan.next().value().asByteBuffer();
            Thread writer = Thread.ofPlatform().start(() -> {
                try (Pipe.SinkChannel sink = pipe.sink()) {
                    sink.write(found);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            ByteBuffer read = ByteBuffer.allocate(value.length);
            pipe.source().read(read.limit(1)); // it writes
            scan.close();
            for (int i = 0; i < 3; i++) {
                engine.put(of("key" + i), of("value"));
                assertTimeoutPreemptively(Duration.ofSeconds(30), engine::flush);
            }
            assertTrue(writer.isAlive());
            for (read.limit(value.length); read.hasRemaining();) {
                pipe.source().read(read);
            }
            writer.join();
            do { // the flusher comes to it after a flush
                engine.put(of("last"), of("value"));
                engine.flush();
            } while (engine.stats().held().unreclaimedMemtableBytes() >= value.length);
        }
    }

    @Test
    void othersCantReadTheFiles() throws IOException {
        Path store = directory.resolve("new");
        try (Engine engine = Engine.open(store, Options.defaults())) {
            engine.put(of("a"), of("1"));
            engine.flush();
            engine.put(of("b"), of("2"));
            assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(store)));
            try (var files = Files.newDirectoryStream(store)) {
                for (Path file : files) {
                    assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)), file.toString());
                }
            }
        }
    }
}
