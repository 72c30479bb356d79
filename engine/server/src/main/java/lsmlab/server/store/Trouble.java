// SPDX-License-Identifier: Apache-2.0
package lsmlab.server.store;

import java.io.UncheckedIOException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import lsmlab.server.wire.Refused;
import lsmlab.storage.ScanEndedException;
import lsmlab.storage.WriteRefusedException;
import lsmlab.storage.entries.CorruptionException;

/** Turns what goes wrong in the engine into what a request is refused with. The operator learns of each damaged place and of a failed disk once. */
public final class Trouble {
    private static final int MOST_REPORTS = 10;
    private static final Set<String> DAMAGE = ConcurrentHashMap.newKeySet(); // messages that were printed
    private static final AtomicBoolean DISK_REPORTED = new AtomicBoolean();

    private Trouble() {}

    /** What to throw in the place of the engine's exception; anything else is returned unchanged. */
    public static RuntimeException of(RuntimeException failure) {
        return switch (failure) {
            case WriteRefusedException e -> forNow(e);
            case ScanEndedException e -> forNow(e);
            case UncheckedIOException e when e.getCause() instanceof CorruptionException -> {
                if (DAMAGE.size() < MOST_REPORTS && DAMAGE.add(e.getMessage())) {
                    System.err.println("lsm-server: " + e.getMessage());
                }
                yield new Refused(500, e.getMessage());
            }
            case UncheckedIOException e -> {
                if (!DISK_REPORTED.getAndSet(true)) { // all further writes fail likewise
                    System.err.println("lsm-server: " + e.getMessage());
                }
                yield new Refused(503, e.getMessage());
            }
            default -> failure;
        };
    }

    private static Refused forNow(RuntimeException failure) {
        return new Refused(503, failure.getMessage(), "Retry-After: 1");
    }
}
