// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.notebook;

import java.time.Duration;

/** How far long work has come, in one line under its cell. */
public final class Progress {
    private static final long UPDATE_NANOS = Duration.ofMillis(250).toNanos();
    private static final int BAR = 24;

    private final String what;
    private final Display line = new Display();
    private final long start = System.nanoTime();
    private long shownAt;

    public Progress(String what) {
        this.what = what;
        show(bar(0) + what);
    }

    /** @param share done, 0 to 1 */
    public void update(double share, String detail) {
        if (System.nanoTime() - shownAt >= UPDATE_NANOS) {
            show(bar(share) + what + ": " + detail);
        }
    }

    public void done(String outcome) {
        end("✓", outcome);
    }

    /** The work was done, and what it found is not what was asked for. */
    public void doneButNot(String outcome) {
        end("✗", outcome);
    }

    private void end(String mark, String outcome) {
        show("%s %s: %s (%.1f s)".formatted(mark, what, outcome, (System.nanoTime() - start) / 1e9));
    }

    private static String bar(double share) {
        int full = (int) Math.clamp(share * BAR, 0, BAR);
        return "▓".repeat(full) + "░".repeat(BAR - full) + " ";
    }

    private void show(String text) {
        shownAt = System.nanoTime();
        line.show(text);
    }
}
