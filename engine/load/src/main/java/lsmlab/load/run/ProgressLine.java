// SPDX-License-Identifier: Apache-2.0
package lsmlab.load.run;

import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import lsmlab.load.count.EverySecond;
import lsmlab.load.plan.Settings;
import lsmlab.load.send.Worker;

/** One line of progress on a terminal, written over every second and gone at the end of the run. */
final class ProgressLine implements AutoCloseable {
    private final TerminalLine line;
    private final Settings settings;
    private final List<Worker> workers;
    private final long measureNanos;
    private final EverySecond ticks;
    private long answeredBefore;

    ProgressLine(PrintStream terminal, Settings settings, List<Worker> workers, long measureNanos) {
        line = new TerminalLine(terminal);
        this.settings = settings;
        this.workers = workers;
        this.measureNanos = measureNanos;
        ticks = new EverySecond("progress", System.nanoTime(), this::show);
    }

    private void show() {
        long answered = workers.stream().mapToLong(Worker::answered).sum();
        double seconds = (System.nanoTime() - measureNanos) / 1e9;
        line.show(seconds < 0
                ? String.format(Locale.ROOT, "  warm-up, %.0f s to go", -seconds)
                : String.format(Locale.ROOT, "  %.0f s of %d s: %d/s of %.0f/s, %d answered in all", seconds, settings.span().durationSeconds(),
                        answered - answeredBefore, settings.requestsPerSecond(), answered));
        answeredBefore = answered;
    }

    @Override
    public void close() {
        ticks.close();
        line.close();
    }
}
