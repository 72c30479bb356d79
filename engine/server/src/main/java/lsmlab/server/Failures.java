// SPDX-License-Identifier: Apache-2.0
package lsmlab.server;

import java.io.UncheckedIOException;
import java.util.concurrent.atomic.AtomicBoolean;
import lsmlab.storage.CorruptionException;
import lsmlab.storage.WriteRefusedException;

/** What clients are told of exceptions, and what is printed. */
final class Failures {
    private static final AtomicBoolean TOLD_OF_DISK = new AtomicBoolean();

    private Failures() {}

    static Answer answer(Throwable failure) {
        return switch (failure) {
            case Refused e -> Answer.of(e);
            case WriteRefusedException e -> Answer.text(503, e.getMessage(), "Retry-After: 1");
            case UncheckedIOException e when e.getCause() instanceof CorruptionException -> {
                System.err.println("lsm-server: " + e.getMessage());
                yield Answer.text(500, e.getMessage());
            }
            case UncheckedIOException e -> {
                if (!TOLD_OF_DISK.getAndSet(true)) { // all further writes fail likewise
                    System.err.println("lsm-server: " + e.getMessage());
                }
                yield Answer.text(503, e.getMessage());
            }
            default -> {
                report(failure);
                yield Answer.text(500, failure.toString());
            }
        };
    }

    static void report(Throwable unexpected) {
        System.err.println("lsm-server: this should not have happened, please report it");
        unexpected.printStackTrace();
    }
}
