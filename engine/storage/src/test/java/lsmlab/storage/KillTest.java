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
import lsmlab.storage.options.Compaction;
import lsmlab.storage.options.Options;
import lsmlab.storage.options.Wal;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A process that writes is killed, again and again, at any moment since its start: while it recovers, flushes, merges, writes its manifest. Every
 * write it had acknowledged is there. {@code -Dlsmlab.kills=N} sets how often, {@code -Dlsmlab.seed=N} with which moments.
 */
class KillTest {
    private static final int KILLS = Integer.getInteger("lsmlab.kills", Tests.ALL ? 100 : 6);
    private static final long SEED = Long.getLong("lsmlab.seed", 11);
    private static final int LONGEST_MILLIS = 900;

    @TempDir
    Path directory;

    @ParameterizedTest
    @EnumSource(value = Wal.class, names = {"OS", "SYNC"})
    void everyAcknowledgedWriteSurvivesKill9(Wal wal) throws Exception {
        Random random = new Random(SEED);
        int acknowledged = 0;
        int longestMillis = LONGEST_MILLIS;
        for (int kill = 0; kill < KILLS; kill++) {
            int thresholdBytes = 2_000 << random.nextInt(8);
            Compaction compaction = Compaction.values()[random.nextInt(2)];
            int before = acknowledged;
            acknowledged = Math.max(before, writeUntilKilled(wal, acknowledged, thresholdBytes, compaction, random.nextInt(longestMillis)));
            longestMillis = acknowledged == before ? 2 * longestMillis : LONGEST_MILLIS; // on a busy machine the process may not have started yet
            try (Engine engine = Engine.open(directory, options(wal, thresholdBytes, compaction))) {
                for (int i = 0; i < acknowledged; i++) {
                    assertEquals(value(i), text(engine.get(key(i))), "key %d of %d after kill %d, seed %d".formatted(i, acknowledged, kill, SEED));
                }
                assertTrue(engine.get(key(acknowledged + 1)) == null, "nobody has written that");
            }
        }
        System.out.printf("%d kills under wal %s, seed %d: %d writes, none lost%n", KILLS, wal, SEED, acknowledged);
        assertTrue(acknowledged > 10, "only %d writes were acknowledged".formatted(acknowledged));
    }

    private static Options options(Wal wal, int thresholdBytes, Compaction compaction) {
        return Options.defaults().withWal(wal).withFlushThresholdBytes(thresholdBytes).withCompaction(compaction).withMaxFrozen(3);
    }

    /** Returns how many writes the process said it had done. */
    private int writeUntilKilled(Wal wal, int from, int thresholdBytes, Compaction compaction, int millis) throws IOException, InterruptedException {
        Path said = directory.resolveSibling(directory.getFileName() + ".said");
        Process process = new ProcessBuilder(Tests.java(List.of("-XX:TieredStopAtLevel=1", "-Xshare:auto"), Writer.class, directory.toString(), wal.name(),
                Integer.toString(from), Integer.toString(thresholdBytes), compaction.name()))
                .redirectOutput(said.toFile()).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        process.waitFor(millis, TimeUnit.MILLISECONDS);
        process.destroyForcibly().waitFor();
        String[] lines = Files.readString(said).split("\n", -1);
        Files.delete(said);
        return lines.length < 2 ? from : Integer.parseInt(lines[lines.length - 2]); // the last one may be cut
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
            try (Engine engine = Engine.open(Path.of(arguments[0]),
                    options(Wal.valueOf(arguments[1]), Integer.parseInt(arguments[3]), Compaction.valueOf(arguments[4])))) {
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
