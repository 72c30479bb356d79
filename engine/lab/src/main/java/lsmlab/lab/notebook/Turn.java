// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.notebook;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import lsmlab.lab.environment.Children;
import lsmlab.lab.environment.Interrupted;
import lsmlab.lab.environment.Mode;
import lsmlab.lab.environment.Project;
import lsmlab.lab.environment.Workspace;

/**
 * This kernel's turn to measure. Two notebooks that measured at the same time on one machine would measure each other, so one waits
 * until the other has finished, and says for whom. Turns nest: a search that has one gives it to each of its runs.
 */
public final class Turn implements AutoCloseable {
    private static final long POLL_MILLIS = 200;
    private static final int SHOWN_BYTES = 1_000;

    private static volatile boolean alongside = Mode.current() == Mode.SMOKE;
    private static int depth;
    private static RandomAccessFile file;
    private static FileLock lock; // null while no measurement runs here, or while this kernel measures beside another one
    private static RandomAccessFile guests; // the kernels that measure beside another one: each has a shared lock and adds a line
    private static long guestsBefore; // the list's length when this turn began
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
                begin(what);
            } catch (IOException | RuntimeException e) {
                end();
                throw e instanceof IOException failure ? new UncheckedIOException(failure) : (RuntimeException) e;
            }
        }
        depth++;
        return new Turn();
    }

    private static void begin(String what) throws IOException {
        file = new RandomAccessFile(Project.scratch("run").resolve("measuring").toFile(), "rw");
        guests = new RandomAccessFile(Project.scratch("run").resolve("guests").toFile(), "rw");
        lock = file.getChannel().tryLock();
        if (lock == null && !alongside) {
            await(what);
        }
        String mine = "%s (process %s): %s".formatted(Workspace.notebook(), Children.pid(), what);
        if (lock == null) {
            guests.getChannel().lock(0, Long.MAX_VALUE, true);
            guests.seek(guests.length());
            guests.write((mine + "\n").getBytes(StandardCharsets.UTF_8));
            beside = line(file);
        } else {
            file.setLength(0);
            file.write(mine.getBytes(StandardCharsets.UTF_8));
            try (FileLock alone = guests.getChannel().tryLock()) {
                if (alone != null) {
                    guests.setLength(0);
                }
                beside = alone == null ? line(guests) : null;
                guestsBefore = guests.length(); // read while no guest can begin
            }
        }
    }

    private static void end() {
        try (RandomAccessFile _ = file; RandomAccessFile _ = guests) { // and with them the locks
            lock = null;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void await(String what) throws IOException {
        Progress progress = new Progress(what);
        long start = System.nanoTime();
        try {
            while (lock == null && !alongside) {
                progress.update(0, "waits for %s. To measure beside it all the same: interrupt this cell, run Lab.measureAlongside(), then this cell again"
                        .formatted(line(file)));
                TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
                lock = file.getChannel().tryLock();
            }
        } catch (InterruptedException e) {
            throw Interrupted.by(e);
        }
        progress.done("waited until the other notebook had measured, %d s".formatted(TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - start)));
    }

    /** Notebook, process and work of another kernel, as far as it has written them down: the last line. */
    private static String line(RandomAccessFile from) throws IOException {
        byte[] text = new byte[(int) Math.min(SHOWN_BYTES, from.length())];
        from.seek(from.length() - text.length);
        int length = Math.max(0, from.read(text)); // less, if that kernel writes just now
        return new String(text, 0, length, StandardCharsets.UTF_8).lines().reduce((_, last) -> last).orElse("another notebook");
    }

    /** Which other notebook measures at this moment; null if none does. */
    public static synchronized String other() {
        if (depth > 0) {
            return beside();
        }
        try {
            String holder = userOf("measuring");
            return holder == null ? userOf("guests") : holder; // a guest may go on when the one it began beside has finished
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What the kernel wrote that has a lock on the file; null if none has. */
    private static String userOf(String name) throws IOException {
        try (RandomAccessFile used = new RandomAccessFile(Project.scratch("run").resolve(name).toFile(), "rw"); FileLock free = used.getChannel().tryLock()) {
            return free == null ? line(used) : null;
        }
    }

    /** Which other notebook measures, or has measured, in this turn; null if none did. */
    public static synchronized String beside() {
        try {
            if (lock != null && beside == null && guests.length() > guestsBefore) {
                beside = line(guests);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return beside;
    }

    @Override
    public void close() {
        synchronized (Turn.class) {
            if (--depth == 0) {
                end();
            }
        }
    }
}
