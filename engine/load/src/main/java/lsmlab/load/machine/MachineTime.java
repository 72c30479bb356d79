// SPDX-License-Identifier: Apache-2.0
package lsmlab.load.machine;

import java.io.IOException;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What the processors did up to a moment, as the system counts it, and what this process did. Times are in nanoseconds, of all processors
 * together; -1 where the system does not say.
 *
 * @param atNanos {@link System#nanoTime}
 * @param busyNanos in programs and for them; not in interrupts, which are nobody's
 * @param stolenNanos that the host gave to others
 * @param pressureNanos during which something waited for a processor
 * @param ownNanos processor time of this process
 * @param gcMillis pauses of this process
 */
public record MachineTime(long atNanos, long busyNanos, long stolenNanos, long pressureNanos, long ownNanos, long gcMillis) {
    private static final Path STAT = Path.of("/proc/stat");
    private static final Path PRESSURE = Path.of("/proc/pressure/cpu");
    private static final long TICK_NANOS = 10_000_000; // USER_HZ is 100 wherever Java runs
    private static final int STOLEN = 8;
    private static final ProcessClock OWN = new ProcessClock(ProcessHandle.current().pid());

    public static MachineTime now() {
        long busy = -1;
        long stolen = -1;
        try {
            String[] ticks = Files.readString(STAT).lines().findFirst().orElseThrow().split(" +"); // cpu user nice system idle iowait irq softirq steal
            busy = 0;
            for (int i : new int[] {1, 2, 3}) {
                busy += Long.parseLong(ticks[i]) * TICK_NANOS;
            }
            stolen = Long.parseLong(ticks[STOLEN]) * TICK_NANOS;
        } catch (IOException e) {
            // not Linux
        }
        long gcMillis = ManagementFactory.getGarbageCollectorMXBeans().stream().mapToLong(GarbageCollectorMXBean::getCollectionTime).sum();
        return new MachineTime(System.nanoTime(), busy, stolen, pressure(), OWN.nanos(), gcMillis);
    }

    private static long pressure() {
        try {
            String some = Files.readString(PRESSURE).lines().findFirst().orElseThrow();
            return Long.parseLong(some.substring(some.indexOf("total=") + "total=".length())) * 1000;
        } catch (IOException e) {
            return -1; // not Linux, or an older one
        }
    }

    /** What happened in between. */
    public MachineTime since(MachineTime before) {
        return new MachineTime(atNanos - before.atNanos, difference(busyNanos, before.busyNanos), difference(stolenNanos, before.stolenNanos),
                difference(pressureNanos, before.pressureNanos), ownNanos - before.ownNanos, gcMillis - before.gcMillis);
    }

    private static long difference(long now, long before) {
        return now < 0 ? -1 : now - before;
    }
}
