// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import static lsmlab.storage.Bytes.of;
import static lsmlab.storage.Bytes.text;
import static lsmlab.storage.Bytes.utf8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import lsmlab.storage.MemoryDisk.Crash;
import lsmlab.storage.entries.CorruptionException;
import lsmlab.storage.format.Format;
import lsmlab.storage.options.Compaction;
import lsmlab.storage.options.Options;
import lsmlab.storage.options.Search;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A store of two runs, a manifest and a log, of which one byte at a time is changed. */
class DamageTest {
    private static final int LAST_RECORD_BYTES = Format.RECORD_HEAD_BYTES + Format.WRITE_HEAD_BYTES + "z".length() + "last".length();

    private final Options options = Options.defaults().withCompaction(Compaction.NONE);
    private MemoryDisk sound;
    private String contents;

    @BeforeEach
    void makeStore() throws IOException {
        MemoryDisk disk = new MemoryDisk();
        Engine engine = Engine.open(disk, options);
        for (int run = 0; run < 2; run++) {
            for (int i = 0; i < 60; i++) {
                engine.put(of("key%02d".formatted(i * 3 + run)), of("value ".repeat(3) + i));
            }
            engine.delete(of("key05"));
            engine.flush();
        }
        engine.close();
        engine = Engine.open(disk, options);
        engine.put(of("y"), of("first"));
        engine.put(of("z"), of("last"));
        sound = disk.after(Crash.KILL, new Random());
        contents = text(engine.scan(null, null));
        engine.close();
    }

    @ParameterizedTest
    @EnumSource(Search.class)
    void everyFlippedByteIsFoundOrHarmless(Search search) throws IOException {
        int found = 0;
        for (String name : sound.list()) {
            byte[] bytes = sound.bytes(name);
            for (int at = 0; at < bytes.length; at++) {
                MemoryDisk disk = sound.after(Crash.KILL, new Random());
                byte[] bad = bytes.clone();
                bad[at] ^= (byte) (1 << at % 8);
                disk.set(name, bad);
                found += check(disk, name, at, bytes.length, search) ? 1 : 0;
            }
        }
        assertTrue(found > 3_000, "only " + found + " bytes were found damaged");
    }

    /** Whether the damage was found; fails when what is read is wrong. */
    private boolean check(MemoryDisk disk, String name, int at, int length, Search search) {
        String context = "byte %d of %s".formatted(at, name);
        try (Engine engine = Engine.open(disk, options.withSearch(search))) {
            if (name.endsWith(".log") && at >= length - LAST_RECORD_BYTES) {
                assertEquals(contents.replace(" z=last", ""), text(engine.scan(null, null)), context);
                assertTrue(engine.cutAtOpening().getFirst().startsWith(name + ": %d bytes after byte ".formatted(LAST_RECORD_BYTES)),
                        () -> engine.cutAtOpening().toString());
                return true;
            }
            List<byte[]> together = engine.getAll(Stream.of(contents.split(" (?=key|y=|z=)")).map(entry -> utf8(entry.substring(0, entry.indexOf('=')))).toList());
            assertEquals(contents, text(engine.scan(null, null)), context);
            int number = 0;
            for (String entry : contents.split(" (?=key|y=|z=)")) {
                String key = entry.substring(0, entry.indexOf('='));
                assertEquals(entry.substring(key.length() + 1), new String(together.get(number++), StandardCharsets.UTF_8), context);
                assertEquals(entry.substring(key.length() + 1), text(engine.get(of(key))), context);
                engine.get(of(key + "x"));
            }
            return false;
        } catch (UncheckedIOException e) {
            assertInstanceOf(CorruptionException.class, e.getCause(), context);
            assertTrue(e.getMessage().contains(name) && e.getMessage().contains("at byte"), e.getMessage());
            return true;
        } catch (IOException e) {
            assertInstanceOf(CorruptionException.class, e, context);
            assertTrue(e.getMessage().contains(name) && e.getMessage().contains("at byte"), e.getMessage());
            return true;
        }
    }

    @Test
    void everyCutOfTablesAndManifestIsFound() {
        for (String name : sound.list()) {
            byte[] bytes = sound.bytes(name);
            for (int length = 0; length < bytes.length && !name.endsWith(".log"); length++) {
                MemoryDisk disk = sound.after(Crash.KILL, new Random());
                disk.set(name, Arrays.copyOf(bytes, length));
                assertThrows(CorruptionException.class, () -> Engine.open(disk, options), name + " cut to " + length);
            }
        }
    }

    @Test
    void everyCutOfALogIsATornWrite() throws IOException {
        String name = sound.list().stream().filter(n -> n.endsWith(".log")).findFirst().orElseThrow();
        byte[] bytes = sound.bytes(name);
        for (int length : IntStream.range(0, bytes.length).toArray()) {
            MemoryDisk disk = sound.after(Crash.KILL, new Random());
            disk.set(name, Arrays.copyOf(bytes, length));
            try (Engine engine = Engine.open(disk, options)) {
                boolean atARecord = length == 0 || length == Format.LOG_HEAD_BYTES
                        || length == bytes.length - LAST_RECORD_BYTES;
                assertEquals(atARecord, engine.cutAtOpening().isEmpty(), "cut to " + length);
                assertFalse(text(engine.scan(null, null)).contains("z=last"));
            }
        }
    }

    @Test
    void missingFilesAreNamed() {
        for (String name : sound.list()) {
            if (!name.endsWith(".log")) {
                MemoryDisk disk = sound.after(Crash.KILL, new Random());
                assertThrows(IOException.class, () -> {
                    disk.deleteIfExists(name);
                    Engine.open(disk, options);
                });
            }
        }
    }

    @Test
    void anUnknownFormatVersionIsRefused() {
        for (String name : sound.list()) {
            byte[] bytes = sound.bytes(name);
            int at = name.endsWith(".log") ? 8 : bytes.length - Format.TAIL_BYTES;
            bytes[at] = 9;
            MemoryDisk disk = sound.after(Crash.KILL, new Random());
            disk.set(name, bytes);
            String message = assertThrows(CorruptionException.class, () -> Engine.open(disk, options)).getMessage();
            assertTrue(message.contains(name + " has format version 9, this engine reads 2 and 3"), message);
        }
    }
}
