// SPDX-License-Identifier: Apache-2.0
package lsmlab.load;

import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** One line on a terminal that tells how the run is going, written over every second and gone at its end. */
final class ProgressLine implements AutoCloseable {
    private static final int WIDTH = 79;

    private final PrintStream terminal;
    private final Settings settings;
    private final List<Worker> workers;
    private final long measureNanos;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Thread thread;

    ProgressLine(PrintStream terminal, Settings settings, List<Worker> workers, long measureNanos) {
        this.terminal = terminal;
        this.settings = settings;
        this.workers = workers;
        this.measureNanos = measureNanos;
        thread = Thread.ofPlatform().daemon().name("progress").start(this::run);
    }

    private void run() {
        try {
            long before = 0;
            while (!closed.await(1, TimeUnit.SECONDS)) {
                long answered = workers.stream().mapToLong(Worker::answered).sum();
                double seconds = (System.nanoTime() - measureNanos) / 1e9;
                show(seconds < 0
                        ? "  warm-up, %.0f s to go".formatted(-seconds)
                        : String.format(Locale.ROOT, "  %.0f s of %d s: %d/s of %.0f/s, %d answered in all", seconds, settings.durationSeconds(),
                                answered - before, settings.requestsPerSecond(), answered));
                before = answered;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void show(String line) {
        terminal.print("\r" + line + " ".repeat(Math.max(0, WIDTH - line.length())));
        terminal.flush();
    }

    @Override
    public void close() {
        closed.countDown();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        show("");
        terminal.print("\r");
        terminal.flush();
    }
}
