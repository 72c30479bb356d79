// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import static lsmlab.storage.Bytes.utf8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import lsmlab.storage.format.Format;
import lsmlab.storage.options.Compaction;
import lsmlab.storage.options.Options;
import lsmlab.storage.system.ColdReads;
import lsmlab.storage.system.PageFaults;
import lsmlab.storage.system.ReadAhead;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Blocks and pages: where blocks lie, and what is read of a file that is not in memory. */
class PagesTest {
    private static final int PAGE_BYTES = 4096;
    private static final Options OPTIONS = Options.defaults().withCompaction(Compaction.NONE);
    private static final int COLD = 100_000; // records
    private static final Path IO = Path.of("/proc/self/io");

    @TempDir
    Path directory;

    @Test
    void blocksOfSmallValuesBeginWithPages() throws IOException {
        long[] starts = startsOfBlocks(150, 150, 20_000);
        assertTrue(starts.length > 800);
        assertEquals(starts.length, Arrays.stream(starts).filter(start -> start % PAGE_BYTES == 0).count());
    }

    /** Blocks of five entries of 710 bytes: the first leaves 544 bytes of a page, which are too many. */
    @Test
    void fewZerosWhereAPageDoesNotFit() throws IOException {
        long[] starts = startsOfBlocks(690, 690, 5_000);
        assertTrue(starts.length > 900);
        assertTrue(starts[starts.length - 1] < (starts.length - 1) * (5 * 710L + 2 + 40));
    }

    @Test
    void valuesOfAllLengthsAreReadBack() throws IOException {
        Random random = new Random(25);
        List<byte[]> values = new ArrayList<>();
        try (Engine engine = Engine.open(directory, OPTIONS)) {
            for (int i = 0; i < 3_000; i++) {
                byte[] value = new byte[random.nextInt(switch (i % 100) {
                    case 0 -> 300_000;
                    case 1, 2, 3 -> 9_000;
                    default -> 500;
                })];
                random.nextBytes(value);
                values.add(value);
                engine.put(key(i), value);
            }
            engine.flush();
        }
        try (Engine engine = Engine.open(directory, OPTIONS)) {
            for (int i = 0; i < values.size(); i++) {
                assertTrue(Arrays.equals(values.get(i), engine.get(key(i))), "value " + i);
            }
            assertEquals(values.size(), entries(engine));
        }
    }

    @Test
    void afterALargeValueBlocksBeginWithPagesAgain() throws IOException {
        long[] starts = startsOfBlocks(20_000, 150, 2_000);
        assertTrue(starts.length > 80);
        assertTrue(Arrays.stream(starts).filter(start -> start % PAGE_BYTES != 0).count() <= 1);
    }

    @Test
    void ofAColdStoreOnlyWhatIsAskedForIsRead() throws IOException {
        writeCold();
        try (Engine engine = Engine.open(directory, OPTIONS)) {
            engine.get(key(0)); // reads filter and index, and what lies around them
            long before = bytesRead();
            Random random = new Random(25);
            for (int i = 0; i < 1_000; i++) {
                assertEquals(150, engine.get(key(random.nextInt(COLD))).length);
            }
            long read = bytesRead() - before;
            assertTrue(read >= 500 * PAGE_BYTES && read <= 1_000 * PAGE_BYTES, read + " bytes were read for 1000 values");
        }
    }

    @Test
    void aLongScanDoesNotWaitForEachPage() throws IOException {
        writeCold();
        long before = PageFaults.ofThisProcess().major();
        try (Engine engine = Engine.open(directory, OPTIONS)) {
            assertEquals(COLD, entries(engine));
        }
        long waits = PageFaults.ofThisProcess().major() - before;
        assertTrue(waits > 0 && waits < 400, waits + " of more than 4000 pages were waited for");
    }

    @Test
    void readsAreColdAfterHundredsThatWaitedForADisk() {
        AtomicLong sectors = new AtomicLong(1_000_000);
        ColdReads reads = new ColdReads(sectors::get);
        assertFalse(areCold(reads, 600, sectors, 0), "nothing is read");
        assertTrue(areCold(reads, 600, sectors, 8), "a page each time");
        assertFalse(areCold(reads, 600, sectors, 0), "nothing again");
    }

    /** Whether cold reads are likely after this many reads. */
    private static boolean areCold(ColdReads reads, int count, AtomicLong sectors, int sectorsEach) {
        boolean areCold = false;
        for (int i = 0; i < count; i++) {
            areCold = reads.areLikely();
            sectors.addAndGet(sectorsEach);
        }
        return areCold;
    }

    private void writeCold() throws IOException {
        write(150, 150, COLD);
        assumeTrue(ReadAhead.PAGE_BYTES == PAGE_BYTES && Files.isReadable(IO) && !Files.getFileStore(directory).type().equals("tmpfs") && PageCache.drop(directory),
                "pages can't be dropped or counted here");
    }

    private long[] startsOfBlocks(int firstValueBytes, int valueBytes, int records) throws IOException {
        write(firstValueBytes, valueBytes, records);
        Path table;
        try (var files = Files.newDirectoryStream(directory, "*.table")) {
            table = files.iterator().next();
        }
        try (FileChannel channel = FileChannel.open(table); Arena arena = Arena.ofConfined()) {
            MemorySegment bytes = channel.map(MapMode.READ_ONLY, 0, channel.size(), arena);
            long footer = bytes.byteSize() - Format.FOOTER_BYTES;
            long blocks = bytes.get(Format.LONG, footer + 16);
            long startsAt = bytes.get(Format.LONG, footer + 40) + blocks * 8;
            return LongStream.range(0, blocks).map(block -> bytes.get(Format.LONG, startsAt + block * 8)).toArray();
        }
    }

    private void write(int firstValueBytes, int valueBytes, int records) throws IOException {
        try (Engine engine = Engine.open(directory, OPTIONS)) {
            engine.put(key(0), new byte[firstValueBytes]);
            byte[] value = new byte[valueBytes];
            for (int i = 1; i < records; i++) {
                engine.put(key(i), value);
            }
            engine.flush();
        }
    }

    private static byte[] key(int number) {
        return utf8("key%013d".formatted(number));
    }

    private static int entries(Engine engine) {
        int entries = 0;
        try (Scan scan = engine.scan(null, null)) {
            for (; scan.hasNext(); scan.next()) {
                entries++;
            }
        }
        return entries;
    }

    private static long bytesRead() throws IOException {
        return Files.readAllLines(IO).stream().filter(line -> line.startsWith("read_bytes: ")).mapToLong(line -> Long.parseLong(line.substring(12))).sum();
    }
}
