// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import static lsmlab.storage.Bytes.of;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A disk that is really full: a small one in memory, in a mount namespace of its own, where the system grants that without root. */
class FullDiskTest {
    @TempDir
    Path directory;

    @ParameterizedTest
    @EnumSource(value = Wal.class, names = {"OS", "SYNC"})
    void writesStopReadsGoOnAndWithRoomEveryAcknowledgedWriteIsFound(Wal wal) throws Exception {
        assumeTrue(runOnSmallDisk(List.of("true")) == 0, "no mount namespaces here");
        assertEquals(0, runOnSmallDisk(Tests.java(List.of("-Xmx32m"), Filler.class, directory.toString(), wal.name())), "see what the process wrote");
    }

    private int runOnSmallDisk(List<String> command) throws InterruptedException {
        List<String> mounted = new ArrayList<>(List.of("unshare", "--user", "--map-root-user", "--mount",
                "sh", "-c", "mount -t tmpfs -o size=16m none \"$1\" && shift && exec \"$@\"", "sh", directory.toString()));
        mounted.addAll(command);
        try {
            return new ProcessBuilder(mounted).inheritIO().start().waitFor();
        } catch (IOException e) {
            return -1; // no such command
        }
    }

    static final class Filler {
        private static final int MORE_THAN_FITS = 32_000;
        private static final String VALUE = "v".repeat(1_000);

        public static void main(String[] arguments) throws IOException {
            Path disk = Path.of(arguments[0]);
            Path other = Files.write(disk.resolve("other"), new byte[8 << 20]);
            Options options = Options.defaults().withWal(Wal.valueOf(arguments[1]));
            Engine engine = Engine.open(disk.resolve("store"), options);
            int acknowledged = fill(engine);
            check(engine, acknowledged);
            try {
                engine.close();
                throw new AssertionError("the failure is not reported");
            } catch (IOException e) {
                // As it should be.
            }
            Files.delete(other);
            try (Engine again = Engine.open(disk.resolve("store"), options)) {
                check(again, acknowledged);
                again.put(of("one more"), of(VALUE));
            }
        }

        /** Returns how many writes were acknowledged. */
        private static int fill(Engine engine) {
            for (int i = 0; i < MORE_THAN_FITS; i++) {
                try {
                    engine.put(of("key" + i), of(i + VALUE));
                } catch (UncheckedIOException e) {
                    if (!e.getMessage().contains("No space left on device")) {
                        throw e;
                    }
                    return i;
                }
            }
            throw new AssertionError("the disk took everything");
        }

        private static void check(Engine engine, int acknowledged) {
            for (int i = 0; i < acknowledged; i++) {
                if (!(i + VALUE).equals(Bytes.text(engine.get(of("key" + i))))) {
                    throw new AssertionError("key%d of %d".formatted(i, acknowledged));
                }
            }
        }
    }
}
