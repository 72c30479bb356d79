// SPDX-License-Identifier: Apache-2.0
package lsmlab.server.session;

import java.util.concurrent.atomic.AtomicInteger;
import lsmlab.server.wire.Answer;
import lsmlab.server.wire.Refused;

/** Turns exceptions into answers, and prints those that nothing explains. */
public final class Failures {
    /** Made at class loading: later there may be no memory for it. */
    private static final Answer NO_MEMORY = Answer.text(503, "there is no memory for this request at the moment", "Retry-After: 1");

    private static final int MOST_REPORTS = 10;
    private static final AtomicInteger REPORTS = new AtomicInteger();

    private Failures() {}

    public static Answer answer(Throwable failure) {
        return switch (failure) {
            case Refused e -> Answer.of(e);
            case OutOfMemoryError _ -> NO_MEMORY;
            default -> {
                report(failure);
                yield Answer.text(500, failure.toString());
            }
        };
    }

    /** Prints the first few failures only: if nothing reads this process's output, printing blocks. A lack of memory is expected and not printed. */
    public static void report(Throwable unexpected) {
        if (unexpected instanceof OutOfMemoryError || unexpected instanceof Refused) {
            return;
        }
        int number = REPORTS.incrementAndGet();
        if (number > MOST_REPORTS) {
            return;
        }
        try {
            System.err.println("lsm-server: this should not have happened, please report it" + (number == MOST_REPORTS ? " (no more of these are printed)" : ""));
            unexpected.printStackTrace();
        } catch (OutOfMemoryError e) {
            // it goes unreported; who reports it has more to do
        }
    }
}
