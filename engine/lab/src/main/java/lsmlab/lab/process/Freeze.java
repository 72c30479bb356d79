// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import lsmlab.lab.environment.Children;
import lsmlab.lab.environment.Interrupted;

/**
 * A stop (SIGSTOP) of a process that is under way or to come; {@link #close} lets the process go on (SIGCONT) at once. So does the end
 * of this JVM, however it ends: a stopped process can't notice by itself that it is no longer needed.
 */
public final class Freeze implements AutoCloseable {
    private static final Duration LOOK = Duration.ofMillis(2);

    private final String pid;
    private final Process guard;
    private final Thread timer;

    /** @param begun whether the time that is counted has begun */
    Freeze(long pid, BooleanSupplier begun, Duration after, Duration length) {
        this.pid = Long.toString(pid);
        try {
            // Waits on a pipe from this JVM, then sends SIGCONT.
            guard = Children.start(new ProcessBuilder("sh", "-c", "cat >/dev/null; kill -CONT \"$0\" 2>/dev/null", this.pid));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        timer = Thread.ofVirtual().start(() -> stopFor(begun, after, length));
    }

    private void stopFor(BooleanSupplier begun, Duration after, Duration length) {
        try {
            while (!begun.getAsBoolean()) {
                Thread.sleep(LOOK);
            }
            Thread.sleep(after);
            new ProcessBuilder("kill", "-STOP", pid).start().waitFor();
            Thread.sleep(length); // the stop that is to be measured
        } catch (InterruptedException e) {
            // closed early
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            goOn();
        }
    }

    private void goOn() {
        try {
            guard.getOutputStream().close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns when the process goes on. */
    void await() {
        try {
            timer.join();
        } catch (InterruptedException e) {
            throw Interrupted.by(e);
        }
    }

    @Override
    public void close() {
        timer.interrupt();
        try {
            timer.join();
            guard.waitFor();
        } catch (InterruptedException e) {
            throw Interrupted.by(e);
        }
    }
}
