// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.notebook;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import lsmlab.lab.environment.Children;
import lsmlab.lab.environment.Interrupted;
import lsmlab.lab.environment.Project;
import lsmlab.lab.environment.Workspace;

/**
 * This kernel's turn to measure. Two notebooks that measured at the same time on one machine would measure each other, so one waits
 * until the other has finished, and says for whom. Turns nest: a search that has one gives it to each of its runs.
 */
public final class Turn implements AutoCloseable {
    private static final long POLL_MILLIS = 200;
    private static final int SHOWN_BYTES = 200;

    private static volatile boolean alongside;
    private static int depth;
    private static RandomAccessFile file;
    private static FileLock lock; // null while no measurement runs here, or while this kernel measures beside another one
    private static String beside;

    private Turn() {}

    /** From now on this kernel waits for no other. */
    public static void goOnAlongside() {
        alongside = true;
    }

    /** Waits until no other kernel of this project measures. */
    public static synchronized Turn take(String what) {
        if (depth == 0) {
            try {
                file = new RandomAccessFile(lockFile().toFile(), "rw");
                lock = file.getChannel().tryLock();
                if (lock == null && !alongside) {
                    await(what);
                }
                beside = lock == null ? holder() : null;
                if (lock != null) {
                    file.setLength(0);
                    file.write("%s (process %s): %s".formatted(Workspace.notebook(), Children.pid(), what).getBytes(StandardCharsets.UTF_8));
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        depth++;
        return new Turn();
    }

    private static Path lockFile() {
        return Project.scratch("run").resolve("measuring");
    }

    private static void await(String what) throws IOException {
        Progress progress = new Progress(what);
        long start = System.nanoTime();
        try {
            while (lock == null && !alongside) {
                progress.update(0, "waits for %s. To measure beside it all the same: interrupt this cell, run Lab.measureAlongside(), then this cell again"
                        .formatted(holder()));
                TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
                lock = file.getChannel().tryLock();
            }
        } catch (InterruptedException e) {
            file.close();
            throw Interrupted.by(e);
        }
        progress.done("waited until the other notebook had measured, %d s".formatted(TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - start)));
    }

    /** Notebook, process and work of the kernel that measures now, as far as it has written them down. */
    private static String holder() throws IOException {
        byte[] text = new byte[(int) Math.min(SHOWN_BYTES, file.length())];
        file.seek(0);
        int length = Math.max(0, file.read(text));
        return length == 0 ? "another notebook" : new String(text, 0, length, StandardCharsets.UTF_8);
    }

    /** Which other notebook measures at the same time; null if none does. */
    public static synchronized String beside() {
        return beside;
    }

    @Override
    public void close() {
        synchronized (Turn.class) {
            if (--depth == 0) {
                try {
                    file.close(); // and with it the lock
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        }
    }
}
