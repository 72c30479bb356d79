// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage.system;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.channels.ClosedByInterruptException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Work that must be completed even if the thread is interrupted: an interrupt is meant for the caller's own code, not for the store. */
public final class Threads {
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long LONGEST_WAIT_NANOS = TimeUnit.SECONDS.toNanos(1);

    private Threads() {}

    public interface Call<T> {
        T run() throws IOException;
    }

    /** Something that must be completed once it was begun. */
    public interface Step {
        /** @param again memory ran out in the middle of it, or when it was done */
        void run(boolean again) throws IOException;
    }

    /** Repeats a step until there is memory for it. REQUIRES: the step was made before the first thing that can't be undone. */
    public static void complete(Step step) throws IOException {
        for (boolean again = false;; again = true) {
            try {
                step.run(again);
                return;
            } catch (OutOfMemoryError e) {
                awaitMemory();
            }
        }
    }

    /** Repeats a call on a channel of its own, which an interrupt closes. */
    public static <T> T uninterrupted(Call<T> call) throws IOException {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return call.run();
                } catch (ClosedByInterruptException e) {
                    interrupted = Thread.interrupted();
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** WHY: when another thread closes memory that this one reads, the JVM interrupts this one, which nothing asked to end. */
    public static void clearInterruptOf(Throwable e) {
        if (e instanceof IllegalStateException) {
            Thread.interrupted();
        }
    }

    /** Waits a moment before something that must be done is tried again. */
    public static void awaitMemory() {
        if (Thread.currentThread().isVirtual()) {
            Thread.yield(); // WHY: to sleep takes memory for a timer; without it, the thread would never wake (JDK 25)
        } else {
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    public static void awaitEnd(ExecutorService threads) {
        boolean interrupted = false;
        while (true) {
            try {
                if (threads.awaitTermination(1, TimeUnit.DAYS)) {
                    break;
                }
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Closes the arena, unless a thread is inside one call that takes its memory: a sum over it, a write of it to a channel, advice about it. */
    public static boolean tryClose(Arena arena) {
        try {
            if (arena.scope().isAlive()) {
                arena.close();
            }
            return true;
        } catch (IllegalStateException e) {
            return !arena.scope().isAlive(); // another thread may have closed it
        }
    }

    /** Waits a while for such a thread. Memory that it uses for longer stays until the process ends, and nothing waits for a stranger. */
    public static void close(Arena arena) {
        long start = System.nanoTime();
        while (!tryClose(arena) && System.nanoTime() - start < LONGEST_WAIT_NANOS) {
            awaitMemory();
        }
    }
}
