// SPDX-License-Identifier: Apache-2.0
package lsmlab.load.run;

import java.io.PrintStream;

/** A line of progress on a terminal, written over again and gone in the end. */
public final class TerminalLine implements AutoCloseable {
    private static final int WIDTH = 79;

    private final PrintStream terminal; // null: none

    /** @param terminal null: nothing is shown */
    public TerminalLine(PrintStream terminal) {
        this.terminal = terminal;
    }

    public void show(String line) {
        if (terminal != null) {
            terminal.print(line + " ".repeat(Math.max(0, WIDTH - line.length())) + "\r"); // so that what others print begins a line
            terminal.flush();
        }
    }

    @Override
    public void close() {
        show("");
    }
}
