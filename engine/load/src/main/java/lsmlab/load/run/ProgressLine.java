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
    private static final int WIDTH = 79;

    private final PrintStream terminal;
    private final Settings settings;
    private final List<Worker> workers;
    private final long measureNanos;
    private final EverySecond ticks;
    private long answeredBefore;

    ProgressLine(PrintStream terminal, Settings settings, List<Worker> workers, long measureNanos) {
        this.terminal = terminal;
        this.settings = settings;
        this.workers = workers;
        this.measureNanos = measureNanos;
        ticks = new EverySecond("progress", System.nanoTime(), this::show);
    }

    private void show() {
        long answered = workers.stream().mapToLong(Worker::answered).sum();
        double seconds = (System.nanoTime() - measureNanos) / 1e9;
        show(seconds < 0
                ? String.format(Locale.ROOT, "  warm-up, %.0f s to go", -seconds)
                : String.format(Locale.ROOT, "  %.0f s of %d s: %d/s of %.0f/s, %d answered in all", seconds, settings.durationSeconds(),
                        answered - answeredBefore, settings.requestsPerSecond(), answered));
        answeredBefore = answered;
    }

    private void show(String line) {
        terminal.print(line + " ".repeat(Math.max(0, WIDTH - line.length())) + "\r"); // so that what others print begins a line
        terminal.flush();
    }

    @Override
    public void close() {
        ticks.close();
        show("");
    }
}
