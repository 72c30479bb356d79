// SPDX-License-Identifier: Apache-2.0
package lsmlab.server;

import java.io.UncheckedIOException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import lsmlab.storage.CorruptionException;
import lsmlab.storage.ScanEndedException;
import lsmlab.storage.WriteRefusedException;

/** Turns exceptions into answers, and prints those that the operator should know of. */
final class Failures {
    private static final AtomicBoolean TOLD_OF_DISK = new AtomicBoolean();
    /** Made at class loading: later there may be no memory for it. */
    private static final Answer NO_MEMORY = Answer.text(503, "there is no memory for this request at the moment", "Retry-After: 1");

    private static final int MOST_REPORTS = 10;
    private static final Set<String> DAMAGE = ConcurrentHashMap.newKeySet(); // messages that were printed
    private static final AtomicInteger REPORTS = new AtomicInteger();

    private Failures() {}

    /** Prints it, too, if the operator must know. */
    static Answer answer(Throwable failure) {
        print(failure);
        return switch (failure) {
            case Refused e -> Answer.of(e);
            case WriteRefusedException e -> Answer.text(503, e.getMessage(), "Retry-After: 1");
            case ScanEndedException e -> Answer.text(503, e.getMessage(), "Retry-After: 1");
            case UncheckedIOException e -> Answer.text(isDamage(e) ? 500 : 503, e.getMessage());
            case OutOfMemoryError _ -> NO_MEMORY;
            default -> Answer.text(500, failure.toString());
        };
    }

    private static boolean isDamage(UncheckedIOException failure) {
        return failure.getCause() instanceof CorruptionException;
    }

    /** What the operator must know: each damaged place and a failed disk once, and what nothing explains. */
    static void print(Throwable failure) {
        switch (failure) {
            case Refused _, WriteRefusedException _, ScanEndedException _ -> { }
            case UncheckedIOException e when isDamage(e) -> {
                if (DAMAGE.size() < MOST_REPORTS && DAMAGE.add(e.getMessage())) {
                    System.err.println("lsm-server: " + e.getMessage());
                }
            }
            case UncheckedIOException e -> {
                if (!TOLD_OF_DISK.getAndSet(true)) { // all further writes fail likewise
                    System.err.println("lsm-server: " + e.getMessage());
                }
            }
            default -> report(failure);
        }
    }

    /** Prints the first few failures only: if nothing reads this process's output, printing blocks. A lack of memory is expected and not printed. */
    static void report(Throwable unexpected) {
        if (unexpected instanceof OutOfMemoryError) {
            return;
        }
        int number = REPORTS.incrementAndGet();
        if (number <= MOST_REPORTS) {
            System.err.println("lsm-server: this should not have happened, please report it" + (number == MOST_REPORTS ? " (no more of these are printed)" : ""));
            unexpected.printStackTrace();
        }
    }
}
