// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import static lsmlab.storage.Bytes.of;
import static lsmlab.storage.Bytes.text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import lsmlab.storage.format.Format;
import lsmlab.storage.options.Compaction;
import lsmlab.storage.options.Options;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Stores that older versions of the engine wrote, in src/test/stores: every entry is found, and files become this version's as they are merged. */
class OldStoreTest {
    @TempDir
    Path directory;

    /** Three flushes of forty keys each, a log that was not flushed, and the process killed. */
    @Test
    void version2() throws IOException {
        copy(Path.of("src/test/stores/version2"));
        Options options = Options.defaults().withCompaction(Compaction.NONE);
        try (Engine engine = Engine.open(directory, options)) {
            check(engine);
            engine.put(of("new"), of("in version 3"));
        }
        try (Engine engine = Engine.open(directory, options)) {
            check(engine);
            engine.compact();
        }
        try (Engine engine = Engine.open(directory, options)) {
            check(engine);
            assertEquals("in version 3", text(engine.get(of("new"))));
        }
        try (var files = Files.newDirectoryStream(directory, "*.table")) {
            for (Path table : files) {
                byte[] bytes = Files.readAllBytes(table);
                assertEquals(Format.VERSION, bytes[bytes.length - Format.TAIL_BYTES], table.toString());
            }
        }
    }

    private void copy(Path store) throws IOException {
        try (var files = Files.newDirectoryStream(store)) {
            for (Path file : files) {
                Files.copy(file, directory.resolve(file.getFileName().toString()));
            }
        }
    }

    private static void check(Engine engine) {
        for (int run = 0; run < 3; run++) {
            for (int i = 0; i < 40; i++) {
                String key = "key%03d".formatted(i * 3 + run);
                String expected = switch (key) {
                    case "key000", "key002" -> null;
                    case "key001" -> "written again";
                    case "key003" -> "logged, too";
                    default -> "run %d, value %d".formatted(run, i);
                };
                if (expected == null) {
                    assertNull(engine.get(of(key)), key);
                } else {
                    assertNotNull(engine.get(of(key)), key);
                    assertEquals(expected, text(engine.get(of(key))), key);
                }
            }
        }
        assertEquals("logged", text(engine.get(of("only in the log"))));
    }
}
