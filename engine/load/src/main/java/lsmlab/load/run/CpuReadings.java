// SPDX-License-Identifier: Apache-2.0
package lsmlab.load.run;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import lsmlab.load.machine.ProcessClock;
import lsmlab.load.result.TargetCpu;

/** Reads the target's processor time four times a second while it is loaded. */
final class CpuReadings implements AutoCloseable {
    private static final long SLICE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    private record Reading(long cpuNanos, long responses) {}

    private final ProcessClock clock;
    private final LongSupplier responses;
    private final List<Reading> readings = new ArrayList<>(); // of the thread, until it has ended
    private final Thread thread;

    /**
     * @param responses received so far
     * @param fromNanos when the first slice begins, by System.nanoTime
     */
    CpuReadings(ProcessClock clock, LongSupplier responses, long fromNanos) {
        this.clock = clock;
        this.responses = responses;
        thread = Thread.ofPlatform().daemon().name("cpu").start(() -> read(fromNanos));
    }

    private void read(long fromNanos) {
        try {
            for (long at = fromNanos;; at += SLICE_NANOS) {
                TimeUnit.NANOSECONDS.sleep(at - System.nanoTime());
                long nanos = clock.nanos();
                if (nanos < 0) {
                    return; // the process has ended
                }
                readings.add(new Reading(nanos, responses.getAsLong()));
            }
        } catch (InterruptedException e) {
            // the run is over, and its last slice is not whole
        }
    }

    @Override
    public void close() {
        thread.interrupt();
        try {
            thread.join();
        } catch (InterruptedException e) { // the run is being given up
            Thread.currentThread().interrupt();
        }
    }

    /** What the slices say; null if they say nothing. REQUIRES: closed. */
    TargetCpu found() {
        List<Double> micros = new ArrayList<>();
        for (int i = 1; i < readings.size(); i++) {
            long count = readings.get(i).responses - readings.get(i - 1).responses;
            if (count > 0 && readings.get(i).cpuNanos > readings.get(i - 1).cpuNanos) {
                micros.add((readings.get(i).cpuNanos - readings.get(i - 1).cpuNanos) / 1e3 / count);
            }
        }
        return TargetCpu.of(micros);
    }
}
