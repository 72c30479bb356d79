// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.predict;

/** The reader has not answered yet. WHY no stack trace: this is not a fault, and the cell should show only the message. */
final class UnansweredException extends RuntimeException {
    private static final long serialVersionUID = 1;

    UnansweredException(String what) {
        super("what do you expect? %s: write your number into the cell that asks, as .is(…) after Lab.predict(…), or go on without one by .skip()".formatted(what), null, false, false);
    }

    @Override
    public String toString() {
        return getMessage();
    }
}
