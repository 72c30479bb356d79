// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import static lsmlab.storage.Bytes.of;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import lsmlab.storage.options.Options;
import lsmlab.storage.options.Wal;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A disk that is really full: a small one in memory, in a mount namespace of its own, where the system grants that without root. */
class FullDiskTest {
    @TempDir
    Path directory;

    @ParameterizedTest
    @EnumSource(value = Wal.class, names = {"OS", "SYNC"})
    void writesAreRefusedReadsGoOnAndWithRoomBothGoOn(Wal wal) throws Exception {
        assumeTrue(runOnSmallDisk(List.of("true")) == 0, "no mount namespaces here");
        assertEquals(0, runOnSmallDisk(Tests.java(List.of("-Xmx32m"), Filler.class, directory.toString(), wal.name())), "see what the process wrote");
    }

    /** A killed process may leave a log of 64 MB that is mostly a hole: reading it must not take the space. */
    @Test
    void aLogThatIsMostlyAHoleIsReadWhereItsHoleWouldNotFit() throws Exception {
        assumeTrue(runOnSmallDisk(List.of("true")) == 0, "no mount namespaces here");
        assertEquals(0, runOnSmallDisk(Tests.java(List.of("-Xmx32m"), Opener.class, directory.toString(), Path.of("src/test/stores/version2").toAbsolutePath().toString())));
    }

    static final class Opener {
        public static void main(String[] arguments) throws IOException {
            Path store = Files.createDirectory(Path.of(arguments[0], "store"));
            try (var files = Files.newDirectoryStream(Path.of(arguments[1]))) {
                for (Path file : files) {
                    Files.copy(file, store.resolve(file.getFileName()));
                }
            }
            try (RandomAccessFile log = new RandomAccessFile(store.resolve("0000000005.log").toFile(), "rw")) {
                log.setLength(64 << 20);
            }
            try (Engine engine = Engine.open(store, Options.defaults())) {
                if (!"logged".equals(Bytes.text(engine.get(of("only in the log"))))) {
                    throw new AssertionError("the log was not read");
                }
            }
        }
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
        private static final long TAKEN_AGAIN_NANOS = 10_000_000_000L; // two seconds, and a busy machine
        private static final int MORE_THAN_FITS = 32_000;
        private static final String VALUE = "v".repeat(1_000);

        public static void main(String[] arguments) throws IOException {
            Path disk = Path.of(arguments[0]);
            Path other = Files.write(disk.resolve("other"), new byte[8 << 20]);
            Options options = Options.defaults().withWal(Wal.valueOf(arguments[1]));
            Engine engine = Engine.open(disk.resolve("store"), options);
            int acknowledged = fill(engine, 0);
            check(engine, acknowledged);
            Files.delete(other);
            acknowledged = writeWhenThereIsRoom(engine, acknowledged);
            acknowledged = fill(engine, acknowledged);
            check(engine, acknowledged);
            closeOrSayWhyNot(engine);
            Engine again = Engine.open(disk.resolve("store"), options);
            check(again, acknowledged);
            closeOrSayWhyNot(again);
        }

        /** A store that is full can't be flushed; its log holds what is not in tables. */
        private static void closeOrSayWhyNot(Engine engine) {
            try {
                engine.close();
            } catch (IOException e) {
                if (!e.getMessage().contains("No space left on device")) {
                    throw new AssertionError(e);
                }
            }
        }

        /** The same store takes writes again, soon. */
        private static int writeWhenThereIsRoom(Engine engine, int from) {
            long deadline = System.nanoTime() + TAKEN_AGAIN_NANOS;
            while (true) {
                try {
                    engine.put(of("key" + from), of(from + VALUE));
                    return from + 1;
                } catch (WriteRefusedException e) {
                    if (System.nanoTime() > deadline) {
                        throw e;
                    }
                    LockSupport.parkNanos(10_000_000);
                }
            }
        }

        /** Returns how many writes were acknowledged. */
        private static int fill(Engine engine, int from) {
            for (int i = from; i < MORE_THAN_FITS; i++) {
                try {
                    engine.put(of("key" + i), of(i + VALUE));
                } catch (WriteRefusedException e) {
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
