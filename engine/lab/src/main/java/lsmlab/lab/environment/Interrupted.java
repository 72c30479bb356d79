// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.environment;

/** The cell was interrupted; unchecked, so that cells need not speak of it. */
public final class Interrupted extends RuntimeException {
    private Interrupted(InterruptedException cause) {
        super("interrupted", cause);
    }

    public static Interrupted by(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new Interrupted(e);
    }
}
