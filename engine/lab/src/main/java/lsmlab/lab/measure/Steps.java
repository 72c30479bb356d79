// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.measure;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import lsmlab.lab.environment.Interrupted;
import lsmlab.lab.measure.Timeline.Event;
import lsmlab.lab.measure.Timeline.Step;

/** What is done to servers while a load goes on, one after the other, and when it was done. For one run. */
public final class Steps {
    static final Steps NONE = new Steps(List.of());
    private static final Duration LOOK = Duration.ofMillis(2);

    private final List<Step> planned;
    private final List<Done> done = new CopyOnWriteArrayList<>();
    private Thread thread;
    private volatile RuntimeException failure;

    /** In seconds since 1970. */
    private record Done(String what, double startSeconds, double endSeconds) {}

    public Steps(List<Step> planned) {
        this.planned = planned;
    }

    boolean areThere() {
        return !planned.isEmpty();
    }

    /** When the last one is to begin. */
    Duration last() {
        return planned.stream().map(Step::after).max(Comparator.naturalOrder()).orElse(Duration.ZERO);
    }

    /** Begins to do them in another thread; {@link #await} or {@link #cancel} must follow. */
    public void begin(BooleanSupplier loadHasBegun) {
        if (areThere()) {
            thread = Thread.startVirtualThread(() -> doAll(loadHasBegun));
        }
    }

    private void doAll(BooleanSupplier loadHasBegun) {
        try {
            while (!loadHasBegun.getAsBoolean()) {
                Thread.sleep(LOOK);
            }
            double began = now();
            for (Step step : planned) {
                Thread.sleep(Duration.ofNanos(Math.max(0, step.after().toNanos() - Math.round(1e9 * (now() - began)))));
                double start = now();
                step.action().run();
                done.add(new Done(step.what(), start, now()));
            }
        } catch (InterruptedException e) {
            // cancelled: the load has failed
        } catch (RuntimeException | Error e) {
            failure = e instanceof RuntimeException thrown ? thrown : new IllegalStateException(e);
        }
    }

    private static double now() {
        return System.currentTimeMillis() / 1000.0;
    }

    /** Returns when all are done; throws what one of them threw. */
    public void await() {
        if (thread != null) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                throw Interrupted.by(e);
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    public void cancel() {
        if (thread != null) {
            thread.interrupt();
        }
    }

    /** @param loadBeganSeconds since 1970 */
    public List<Event> events(double loadBeganSeconds) {
        return done.stream().map(step -> new Event(step.what, step.startSeconds - loadBeganSeconds, step.endSeconds - step.startSeconds)).toList();
    }
}
