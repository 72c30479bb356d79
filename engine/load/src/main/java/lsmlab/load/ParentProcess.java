// SPDX-License-Identifier: Apache-2.0
package lsmlab.load;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Ends this process when another one does. */
final class ParentProcess {
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private ParentProcess() {}

    /** At once, if there is no such process. */
    static void endWith(long pid) {
        ProcessHandle.of(pid).ifPresentOrElse(ParentProcess::follow, () -> System.exit(1));
    }

    /** WHY it looks again: the JVM takes a process for ended when there is no descriptor left to look at it with. {@code exists} needs none. */
    private static void follow(ProcessHandle parent) {
        Path folder = Path.of("/proc", Long.toString(parent.pid()));
        Optional<Instant> began = parent.info().startInstant();
        parent.onExit().thenRun(() -> {
            while (Files.exists(folder) && ProcessHandle.of(parent.pid()).flatMap(now -> now.info().startInstant()).or(() -> began).equals(began)) {
                LockSupport.parkNanos(LOOK_NANOS);
            }
            Runtime.getRuntime().halt(1);
        });
    }
}
