// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import static lsmlab.storage.Bytes.of;
import static lsmlab.storage.Bytes.text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import lsmlab.storage.MemoryDisk.Crash;
import lsmlab.storage.entries.CorruptionException;
import lsmlab.storage.format.FileNames;
import lsmlab.storage.format.Format;
import lsmlab.storage.options.Compaction;
import lsmlab.storage.options.Options;
import lsmlab.storage.options.Wal;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Whole files that are gone, shorter, in the place of others, of another time or of another store: each is sound by itself. */
class DisorderTest {
    private static final Options OPTIONS = Options.defaults().withCompaction(Compaction.NONE);

    /** Five logs, none of which is in a table: flushes wait for the latch. */
    private static MemoryDisk withLogs(Wal wal) throws IOException {
        CountDownLatch go = new CountDownLatch(1);
        MemoryDisk disk = new MemoryDisk();
        disk.holdCreates("0000000001.table.tmp", go);
        try (Engine engine = Engine.open(disk, OPTIONS.withWal(wal).withFlushThresholdBytes(200).withMaxFrozen(9))) {
            for (int i = 0; i < 40; i++) {
                engine.put(of("k%02d".formatted(i)), of("a value of some length"));
            }
            MemoryDisk left = disk.after(Crash.KILL, new Random());
            go.countDown();
            assertTrue(logs(left).size() >= 5, left.list().toString());
            return left;
        }
    }

    private static List<String> logs(MemoryDisk disk) {
        return disk.list().stream().filter(name -> name.endsWith(".log")).sorted().toList();
    }

    private static String refused(MemoryDisk disk) {
        return assertThrows(CorruptionException.class, () -> Engine.open(disk, OPTIONS).close()).getMessage();
    }

    private static String contents(MemoryDisk disk) throws IOException {
        try (Engine engine = Engine.open(disk, OPTIONS); Scan all = engine.scan(null, null)) {
            return text(all);
        }
    }

    @ParameterizedTest
    @EnumSource(value = Wal.class, names = {"OS", "SYNC"})
    void aLogThatIsGoneIsMissed(Wal wal) throws IOException {
        MemoryDisk sound = withLogs(wal);
        for (String log : logs(sound)) {
            MemoryDisk disk = sound.after(Crash.KILL, new Random());
            disk.deleteIfExists(log);
            String message = refused(disk);
            assertTrue(message.contains(log + " is missing"), message);
        }
    }

    @ParameterizedTest
    @EnumSource(value = Wal.class, names = {"OS", "SYNC"})
    void anOlderLogThatEndsEarlyIsFoundWhereverItEnds(Wal wal) throws IOException {
        MemoryDisk sound = withLogs(wal);
        String whole = contents(sound.after(Crash.KILL, new Random()));
        for (String log : logs(sound).subList(0, 4)) {
            byte[] bytes = sound.bytes(log);
            for (int length = 0; length < bytes.length; length++) {
                for (boolean zeros : new boolean[] {false, true}) {
                    MemoryDisk disk = sound.after(Crash.KILL, new Random());
                    disk.set(log, Arrays.copyOf(Arrays.copyOf(bytes, length), zeros ? bytes.length : length));
                    if (length >= bytes.length - Format.END_BYTES) {
                        assertEquals(whole, contents(disk), "the end mark may be torn: the next log knows how long this one is");
                    } else {
                        String message = refused(disk);
                        assertTrue(message.contains(log), message);
                    }
                }
            }
        }
    }

    @Test
    void theOnlyLogIsMissed() throws IOException {
        MemoryDisk disk = new MemoryDisk();
        Engine engine = Engine.open(disk, OPTIONS);
        engine.put(of("a"), of("1"));
        MemoryDisk left = disk.after(Crash.KILL, new Random());
        engine.close();
        left.deleteIfExists(logs(left).getFirst());
        String message = refused(left);
        assertTrue(message.contains("0000000001.log is missing"), message);
        left.set("0000000001.log", new byte[0]);
        assertEquals("", contents(left), "the way out that the message names");
    }

    private static MemoryDisk withTables() throws IOException {
        MemoryDisk disk = new MemoryDisk();
        try (Engine engine = Engine.open(disk, OPTIONS)) {
            for (int table = 0; table < 3; table++) {
                engine.put(of("k" + table), of("a value"));
                engine.flush();
            }
        }
        return disk.after(Crash.KILL, new Random());
    }

    private static List<String> tables(MemoryDisk disk) {
        return disk.list().stream().filter(name -> name.endsWith(".table")).sorted().toList();
    }

    @Test
    void tablesThatAreExchangedOrCopiedAreFound() throws IOException {
        MemoryDisk disk = withTables();
        String first = tables(disk).getFirst();
        String last = tables(disk).getLast();
        byte[] bytes = disk.bytes(first);
        MemoryDisk exchanged = disk.after(Crash.KILL, new Random());
        exchanged.set(first, exchanged.bytes(last));
        exchanged.set(last, bytes);
        assertTrue(refused(exchanged).contains("is the table of number"));
        MemoryDisk copied = disk.after(Crash.KILL, new Random());
        copied.set(FileNames.table(77), bytes);
        assertTrue(refused(copied).contains(FileNames.table(77) + " is the table of number"));
    }

    @Test
    void anOlderManifestThatIsPutBackIsFound() throws IOException {
        MemoryDisk disk = new MemoryDisk();
        Engine engine = Engine.open(disk, OPTIONS);
        engine.put(of("a"), of("1"));
        engine.flush();
        byte[] older = disk.bytes(FileNames.MANIFEST);
        engine.put(of("b"), of("2"));
        engine.flush();
        engine.close();
        MemoryDisk left = disk.after(Crash.KILL, new Random());
        left.set(FileNames.MANIFEST, older);
        String message = refused(left);
        assertTrue(message.contains("MANIFEST is older than 00000000"), message);
        assertEquals(2, tables(left).size(), "the newer table is not deleted");
    }

    @Test
    void filesOfAnotherStoreAreNamed() throws IOException {
        for (String ending : List.of(".table", ".log")) {
            MemoryDisk mine = ending.equals(".table") ? withTables() : withLogs(Wal.OS);
            MemoryDisk theirs = ending.equals(".table") ? withTables() : withLogs(Wal.OS);
            String name = mine.list().stream().filter(n -> n.endsWith(ending)).max(Comparator.naturalOrder()).orElseThrow();
            mine.set(name, theirs.bytes(name));
            String message = refused(mine);
            assertTrue(message.contains(name + " is a") && message.contains("of another store"), message);
        }
    }

    @Test
    void aFileWithAHugeNumberIsNamedAndNothingIsLost() throws IOException {
        for (String name : List.of("999999999999999999.table", "999999999999999999.log")) {
            MemoryDisk disk = withTables();
            disk.set(name, new byte[] {1});
            assertTrue(refused(disk).contains(name + " is not of this store"));
        }
        MemoryDisk disk = withTables();
        disk.set("9999999999999999999.table", new byte[] {1}); // no name of ours: too long
        assertEquals("k0=a value k1=a value k2=a value", contents(disk));
    }

    /** A value holds the bytes of its own log and is torn behind them. Only their place shows that they are no records of the log. */
    @Test
    void aValueThatHoldsLogRecordsIsTornLikeAnyOther() throws IOException {
        MemoryDisk disk = new MemoryDisk();
        Engine engine = Engine.open(disk, OPTIONS);
        for (int i = 0; i < 20; i++) {
            engine.put(of("k%02d".formatted(i)), of("v"));
        }
        byte[] log = disk.bytes("0000000001.log");
        engine.put(of("k20"), MemorySegment.ofArray(log));
        MemoryDisk left = disk.after(Crash.KILL, new Random());
        engine.close();
        byte[] torn = left.bytes("0000000001.log");
        left.set("0000000001.log", Arrays.copyOf(torn, torn.length - 1));
        String found = contents(left);
        assertTrue(found.endsWith("k19=v"), found);
        assertFalse(found.contains("k20"));
    }
}
