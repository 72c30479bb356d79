// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import static lsmlab.storage.Bytes.of;
import static lsmlab.storage.Bytes.text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import lsmlab.storage.format.FileNames;
import lsmlab.storage.options.Compaction;
import lsmlab.storage.options.Options;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A store and its folder: opened, locked, closed, with files of others in it. */
class FolderTest {
    @TempDir
    Path directory;

    private Engine open() throws IOException {
        return Engine.open(directory, Options.defaults());
    }

    @Test
    void closeIsIdempotentAndLaterWritesAreRefused() throws IOException {
        Engine engine = open();
        engine.put(of("a"), of("1"));
        engine.close();
        engine.close();
        assertThrows(IllegalStateException.class, () -> engine.put(of("a"), of("2")));
        assertThrows(IllegalStateException.class, engine::flush);
    }

    @Test
    void closeWaitsForNoReaderAndFreesTheFolder() throws Exception {
        for (int round = 0; round < 20; round++) {
            Engine engine = open();
            for (int i = 0; i < 50; i++) {
                engine.put(of("key" + i), of("v".repeat(20_000)));
            }
            engine.flush();
            Thread reader = Thread.ofPlatform().start(() -> {
                try {
                    for (int i = 0;; i++) {
                        engine.get(of("key" + i % 50));
                    }
                } catch (IllegalStateException e) {
                    // closed
                }
            });
            engine.close();
            reader.join();
        }
        open().close();
    }

    @Test
    void directoryIsLockedAndReleased() throws IOException {
        try (Engine first = open()) {
            String message = assertThrows(IOException.class, this::open).getMessage();
            assertEquals("mem 0 | frozen 0 | L0 0", first.shape());
            assertTrue(message.endsWith("is in use by another engine"), message);
        }
        open().close();
    }

    @Test
    void aRefusedOpeningDoesNotGiveUpTheLock() throws Exception {
        try (Engine first = open()) {
            assertThrows(IOException.class, this::open);
            Process other = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin/java").toString(), "-cp",
                    System.getProperty("java.class.path"), OpenAndExit.class.getName(), directory.toString()).inheritIO().start();
            assertEquals(OpenAndExit.REFUSED, other.waitFor());
            assertEquals("mem 0 | frozen 0 | L0 0", first.shape());
        }
    }

    /** Another process that opens the store. */
    static final class OpenAndExit {
        static final int REFUSED = 42;

        public static void main(String[] args) {
            try {
                Engine.open(Path.of(args[0]), Options.defaults()).close();
            } catch (IOException e) {
                System.exit(e.getMessage().endsWith("is in use by another engine") ? REFUSED : 1);
            }
        }
    }

    @Test
    void emptyCloseLeavesNoTableAndForeignFilesStay() throws IOException {
        Files.writeString(directory.resolve("notes.txt"), "mine");
        Files.createDirectory(directory.resolve("0000000001.table"));
        Files.createDirectories(directory.resolve("0000000002.table.tmp/not ours"));
        Files.writeString(directory.resolve("0000000009.table.tmp"), "half written");
        open().close();
        try (var files = Files.list(directory)) {
            assertEquals(List.of("0000000001.table", "0000000002.table.tmp", "LOCK", "MANIFEST", "notes.txt"), files.map(f -> f.getFileName().toString()).sorted().toList());
        }
    }

    @Test
    void aFlushThatFindsItsNameTakenIsTriedAgain() throws IOException {
        try (Engine engine = open()) {
            engine.put(of("a"), of("1"));
            Path inTheWay = Files.createDirectories(directory.resolve("0000000001.table.tmp/not ours"));
            String message = assertThrows(WriteRefusedException.class, engine::flush).getMessage();
            assertTrue(message.contains("0000000001.table.tmp"), message);
            assertEquals("1", text(engine.get(of("a"))));
            engine.put(of("b"), of("2"));
            Files.delete(inTheWay);
            engine.flush();
            assertNull(engine.stats().trouble());
        }
        try (Engine again = open()) {
            assertEquals("1", text(again.get(of("a"))));
            assertEquals("2", text(again.get(of("b"))));
        }
    }

    @ParameterizedTest
    @EnumSource(Compaction.class)
    void aMergeThatFindsItsNameTakenStopsNothing(Compaction compaction) throws IOException {
        try (Engine engine = Engine.open(directory, Options.defaults().withCompaction(compaction))) {
            for (int i = 0; i < 2; i++) {
                engine.put(of("k" + i), of("v"));
                engine.delete(of("gone"));
                engine.flush();
            }
            engine.awaitCompactions();
            List<Path> inTheWay = new ArrayList<>();
            for (int number = 1; number < 20; number++) {
                inTheWay.add(Files.createDirectories(directory.resolve(FileNames.unfinished(FileNames.table(number)) + "/not ours")));
            }
            assertThrows(IOException.class, engine::compact);
            engine.put(of("k3"), of("v"));
            for (Path folder : inTheWay) {
                Files.delete(folder);
            }
            engine.compact();
            assertEquals("v", text(engine.get(of("k0"))));
            assertNull(engine.stats().trouble());
        }
    }

    @Test
    void aNameThatAFolderHasIsNotGivenToATable() throws IOException {
        Files.createDirectories(directory.resolve("0000000005.table/not ours"));
        try (Engine engine = open()) {
            for (int i = 0; i < 10; i++) {
                engine.put(of("k" + i), of("v"));
                engine.flush();
            }
            assertEquals("v", text(engine.get(of("k0"))));
        }
    }
}
