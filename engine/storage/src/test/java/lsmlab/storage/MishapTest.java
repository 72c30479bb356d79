// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import static lsmlab.storage.Bytes.of;
import static lsmlab.storage.Bytes.text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Random;
import lsmlab.storage.options.Compaction;
import lsmlab.storage.options.Extensions;
import lsmlab.storage.options.Options;
import lsmlab.storage.options.Wal;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Failures in the middle of a step leave nothing behind: no lock, no mapping, no write that a power cut could take back. */
class MishapTest {
    private static final Path MAPPINGS = Path.of("/proc/self/maps");

    @TempDir
    Path directory;

    /** After a kill, writes are in the page cache only. Once a new process has read them, they must also survive a power cut. */
    @Test
    void whatIsRecoveredIsOnTheDiskBeforeAnythingNewIs() throws IOException {
        MemoryDisk disk = new MemoryDisk();
        Engine killed = Engine.open(disk, Options.defaults().withWal(Wal.OS));
        killed.put(of("key"), of("value"));
        MemoryDisk left = disk.after(MemoryDisk.Crash.KILL, new Random());
        killed.close();
        String log = left.list().stream().filter(name -> name.endsWith(".log")).findAny().orElseThrow();
        try (Engine again = Engine.open(left, Options.defaults().withWal(Wal.OS))) {
            assertEquals("value", text(again.get(of("key"))));
            again.put(of("next"), of("value"));
            List<String> trace = left.trace();
            int synced = trace.indexOf("sync " + log);
            assertTrue(synced >= 0, () -> String.join(", ", trace));
            assertEquals(List.of(), trace.subList(0, synced).stream().filter(change -> change.startsWith("write ")).toList());
        }
    }

    @Test
    @Timeout(60)
    void tablesThatCannotBeDeletedStopNothingAndGoLater() throws IOException {
        MemoryDisk disk = new MemoryDisk();
        try (Engine engine = Engine.open(disk, Options.defaults().withCompaction(Compaction.NONE))) {
            disk.keepAll(true);
            for (int i = 0; i < 3; i++) {
                engine.put(of("key" + i), of("value"));
                engine.put(of("shared"), of("value")); // so that they are merged
                engine.flush();
            }
            engine.compact();
            assertTrue(disk.list().contains("0000000001.table"), "it could not be deleted");
            engine.put(of("after"), of("value"));
            engine.flush();
            assertNull(engine.stats().trouble());
            disk.keepAll(false);
            engine.put(of("later"), of("value"));
            engine.flush();
            while (disk.list().contains("0000000001.table")) {
                Thread.onSpinWait(); // files are deleted after the flush has returned
            }
            assertEquals("value", text(engine.get(of("key0"))));
        }
    }

    @Test
    void aTableWhoseFilterCannotBeBuiltIsNotKeptMapped() throws IOException {
        assumeTrue(Files.exists(MAPPINGS));
        try (Engine engine = Engine.open(directory, Options.defaults())) {
            engine.put(of("key"), of("value"));
        }
        Extensions broken = new Extensions(() -> {
            throw new IllegalStateException("no filter");
        }, null, null);
        assertThrows(IllegalStateException.class, () -> Engine.open(directory, Options.defaults().withExtensions(broken)));
        assertFalse(Files.readString(MAPPINGS).contains(directory.toString()), "a file of the store is still mapped");
        try (Engine again = Engine.open(directory, Options.defaults())) {
            assertEquals("value", text(again.get(of("key"))));
        }
    }

    @Test
    void aFolderThatSomebodyElseInThisProcessHasLockedCanBeOpenedAfterwards() throws IOException {
        Path file = Files.createFile(directory.resolve("LOCK"));
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE); FileLock lock = channel.lock()) {
            assertTrue(lock.isValid());
            String refused = assertThrows(IOException.class, () -> Engine.open(directory, Options.defaults())).getMessage();
            assertTrue(refused.endsWith("is in use by another engine"), refused);
        }
        try (Engine engine = Engine.open(directory, Options.defaults())) {
            engine.put(of("key"), of("value"));
        }
    }
}
