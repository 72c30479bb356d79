// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import static lsmlab.storage.Bytes.of;
import static lsmlab.storage.Bytes.text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.PrintStream;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A process that writes is killed, again and again: every write it had acknowledged is there. */
class KillTest {
    private static final int KILLS = Tests.ALL ? 40 : 6;
    private static final Options OPTIONS = Options.defaults().withFlushThresholdBytes(200_000);

    @TempDir
    Path directory;

    @ParameterizedTest
    @EnumSource(value = Wal.class, names = {"OS", "SYNC"})
    void everyAcknowledgedWriteSurvivesKill9(Wal wal) throws Exception {
        Random random = new Random(11);
        int acknowledged = 0;
        for (int kill = 0; kill < KILLS; kill++) {
            acknowledged = Math.max(acknowledged, writeUntilKilled(wal, acknowledged, 300 + random.nextInt(500)));
            try (Engine engine = Engine.open(directory, OPTIONS.withWal(wal))) {
                for (int i = 0; i < acknowledged; i++) {
                    assertEquals(value(i), text(engine.get(key(i))), "key %d of %d after kill %d".formatted(i, acknowledged, kill));
                }
            }
        }
        assertTrue(acknowledged > 100, "only %d writes were acknowledged".formatted(acknowledged));
    }

    /** Returns how many writes the process said it had done. */
    private int writeUntilKilled(Wal wal, int from, int millis) throws IOException, InterruptedException {
        Path said = directory.resolveSibling(directory.getFileName() + ".said");
        Process process = new ProcessBuilder(Tests.java(List.of(), Writer.class, directory.toString(), wal.name(), Integer.toString(from)))
                .redirectOutput(said.toFile()).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        while (Files.size(said) == 0 && process.isAlive()) {
            Thread.onSpinWait();
        }
        process.waitFor(millis, TimeUnit.MILLISECONDS);
        process.destroyForcibly().waitFor();
        String[] lines = Files.readString(said).split("\n", -1);
        Files.delete(said);
        return Integer.parseInt(lines[lines.length - 2]); // the last one may be cut
    }

    private static MemorySegment key(int i) {
        return of("key" + i);
    }

    private static String value(int i) {
        return "value %d ".formatted(i).repeat(1 + i % 20);
    }

    /** Writes key after key, and says the count of those that are done. */
    static final class Writer {
        public static void main(String[] arguments) throws IOException {
            PrintStream out = new PrintStream(System.out, true, StandardCharsets.US_ASCII);
            try (Engine engine = Engine.open(Path.of(arguments[0]), OPTIONS.withWal(Wal.valueOf(arguments[1])))) {
                int from = Integer.parseInt(arguments[2]);
                out.print(from + "\n");
                for (int i = from; !out.checkError(); i++) {
                    engine.put(key(i), of(value(i)));
                    out.print((i + 1) + "\n");
                }
            }
        }
    }
}
