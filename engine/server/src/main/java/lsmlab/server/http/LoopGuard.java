// SPDX-License-Identifier: Apache-2.0
package lsmlab.server.http;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import lsmlab.server.session.Failures;

/**
 * Restarts the loop of a one-nio thread that ran out of memory. These threads survive what a session throws, but not an error of their own: one moment without
 * memory would stop the server for good.
 */
final class LoopGuard implements Thread.UncaughtExceptionHandler {
    private static final long GO_ON_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final BooleanSupplier stopping;

    /** @param stopping whether loops may end */
    LoopGuard(BooleanSupplier stopping) {
        this.stopping = stopping;
        rehearse();
    }

    @Override
    public void uncaughtException(Thread thread, Throwable error) {
        Throwable last = error;
        while (last instanceof OutOfMemoryError && !stopping.getAsBoolean()) {
            last = null;
            LockSupport.parkNanos(GO_ON_NANOS);
            try {
                thread.run();
            } catch (RuntimeException | Error e) {
                last = e;
            }
        }
        if (last != null) {
            Failures.report(last);
        }
    }

    /** WHY: what a method names is looked up when it first runs, which takes memory. */
    private void rehearse() {
        uncaughtException(new Thread() {
            private boolean ranOut;

            @Override
            public void run() {
                if (!ranOut) {
                    ranOut = true;
                    throw new OutOfMemoryError("a rehearsal");
                }
            }
        }, new OutOfMemoryError("a rehearsal"));
    }
}
