// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab;

import java.time.Duration;
import java.util.UUID;
import org.dflib.jjava.jupyter.kernel.BaseKernel;
import org.dflib.jjava.jupyter.kernel.display.DisplayData;

/** One line under a cell that is replaced while long work goes on. Without a notebook it does nothing. */
final class Progress {
    private static final long UPDATE_NANOS = Duration.ofMillis(250).toNanos();
    private static final int BAR = 24;

    private static volatile BaseKernel kernel;

    private final String what;
    private final String id = UUID.randomUUID().toString();
    private final long start = System.nanoTime();
    private long shownAt;
    private boolean shown;

    Progress(String what) {
        this.what = what;
        show(bar(0) + what);
    }

    /** Called once by the notebook's kernel. */
    static void showIn(BaseKernel notebookKernel) {
        kernel = notebookKernel;
    }

    /** @param share done, 0 to 1 */
    void update(double share, String detail) {
        if (System.nanoTime() - shownAt >= UPDATE_NANOS) {
            show(bar(share) + what + ": " + detail);
        }
    }

    void done(String outcome) {
        end("✓", outcome);
    }

    /** The work was done, and what it found is not what was asked for. */
    void doneButNot(String outcome) {
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
        if (kernel == null) {
            return;
        }
        DisplayData data = new DisplayData(text);
        data.putTransientData("display_id", id); // setDisplayId is not the same method in all versions of JJava
        if (shown) {
            kernel.getIO().display.updateDisplay(data);
        } else {
            kernel.display(data);
            shown = true;
        }
    }
}
