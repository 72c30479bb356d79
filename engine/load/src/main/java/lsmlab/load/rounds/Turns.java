// SPDX-License-Identifier: Apache-2.0
package lsmlab.load.rounds;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.CancellationException;
import lsmlab.load.machine.ProcessClock;
import lsmlab.load.plan.Settings;

/** Slices of several targets that can be ended early: by another thread, or because the JVM goes down. */
final class Turns {
    private final Runnable whenInterrupted;
    private volatile Slices slices; // while they run
    private volatile boolean stopAsked;

    /** What is done with the slices. */
    interface Work<T> {
        T with(Slices slices) throws IOException, InterruptedException;
    }

    /** @param whenInterrupted called when the JVM goes down meanwhile and the load has been asked to stop; it goes down when this returns */
    Turns(Runnable whenInterrupted) {
        this.whenInterrupted = whenInterrupted;
    }

    /**
     * @throws IOException if a target can't be reached, or dies
     * @throws CancellationException after {@link #stop}, or when the JVM goes down
     */
    <T> T run(List<Settings> targets, List<ProcessClock> clocks, Work<T> work) throws IOException, InterruptedException {
        Thread interrupted = new Thread(() -> {
            stop();
            whenInterrupted.run();
        }, "interrupted");
        Runtime.getRuntime().addShutdownHook(interrupted);
        try (Slices slices = new Slices(targets, clocks)) {
            this.slices = slices;
            if (stopAsked) {
                throw new CancellationException();
            }
            return work.with(slices);
        } finally {
            try {
                Runtime.getRuntime().removeShutdownHook(interrupted);
            } catch (IllegalStateException e) {
                // the JVM is going down
            }
        }
    }

    void stop() {
        stopAsked = true;
        if (slices != null) {
            slices.stop();
        }
    }
}
