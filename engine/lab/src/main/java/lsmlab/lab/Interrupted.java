// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab;

/** The cell was interrupted; unchecked, so that cells need not speak of it. */
final class Interrupted extends RuntimeException {
    private Interrupted(InterruptedException cause) {
        super("interrupted", cause);
    }

    static Interrupted by(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new Interrupted(e);
    }
}
