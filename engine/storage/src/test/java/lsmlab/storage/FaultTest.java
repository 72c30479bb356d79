// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import static lsmlab.storage.Bytes.of;
import static lsmlab.storage.Bytes.text;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import lsmlab.storage.entries.CorruptionException;
import lsmlab.storage.options.Compaction;
import lsmlab.storage.options.Options;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A table that is cut while it is open, in a process of its own, which a fault in mapped memory may end. */
class FaultTest {
    @TempDir
    Path directory;

    @Test
    void aTableThatIsCutWhileItIsOpenIsNamedAndTheRestGoesOn() throws Exception {
        for (String warm : List.of("read before", "not read before")) {
            Path store = directory.resolve(warm);
            Process process = new ProcessBuilder(Tests.java(List.of(), Cutter.class, store.toString(), warm)).inheritIO().start();
            assertEquals(0, process.waitFor(), "see what the process wrote");
        }
    }

    static final class Cutter {
        private static final int KEYS = 5_000;
        private static final String VALUE = "value ".repeat(30);

        public static void main(String[] arguments) throws IOException {
            Path store = Path.of(arguments[0]);
            Engine engine = Engine.open(store, Options.defaults().withCompaction(Compaction.TIERED));
            for (int i = 0; i < KEYS; i++) {
                engine.put(of("key" + i), of(VALUE + i));
            }
            engine.flush();
            engine.put(of("other"), of("in another table"));
            engine.flush();
            for (int round = 0; arguments[1].equals("read before") && round < 40; round++) {
                readAll(engine); // until the JIT compiler has come to it
            }
            try (FileChannel table = FileChannel.open(store.resolve("0000000001.table"), StandardOpenOption.WRITE)) {
                table.truncate(4096);
            }
            check(readAll(engine) > KEYS / 2, "most keys can't be read");
            check(text(engine.get(of("other"))).equals("in another table"), "another table can");
            engine.put(of("key1"), of("again"));
            check(text(engine.get(of("key1"))).equals("again"), "writes go on");
            try (Scan scan = engine.scan(null, null)) {
                scan.forEachRemaining(_ -> {});
                check(false, "a scan finds it, too");
            } catch (UncheckedIOException e) {
                check(e.getMessage().contains("0000000001.table"), e.getMessage());
            }
            try {
                engine.compact();
                check(false, "a compaction finds it, too");
            } catch (IOException e) {
                check(e.getMessage().contains("0000000001.table"), e.getMessage());
            }
            for (int i = 0; i < KEYS; i++) {
                engine.put(of("key" + i), of(VALUE + i));
            }
            check(readAll(engine) == 0, "what is written again can be read");
            engine.close();
        }

        /** Returns how many keys could not be read. */
        private static int readAll(Engine engine) {
            int refused = 0;
            for (int i = 0; i < KEYS; i++) {
                try {
                    String found = text(engine.get(of("key" + i)));
                    check(found.equals(VALUE + i), "key%d is wrong".formatted(i));
                } catch (UncheckedIOException e) {
                    check(e.getCause() instanceof CorruptionException && e.getMessage().contains("0000000001.table"), e.toString());
                    refused++;
                }
            }
            return refused;
        }

        private static void check(boolean holds, String what) {
            if (!holds) {
                throw new AssertionError(what);
            }
        }
    }
}
