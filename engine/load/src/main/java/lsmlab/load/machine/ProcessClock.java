// SPDX-License-Identifier: Apache-2.0
package lsmlab.load.machine;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.time.Duration;

/**
 * The processor time of another process: on Linux from its own clock, to the nanosecond; elsewhere as the JDK knows it, often to 10 ms only.
 * For one thread at a time.
 */
public final class ProcessClock {
    /** As clock_getcpuclockid(3) forms the clock of a process: its inverted number, shifted left by three, and this. */
    private static final int PROCESS_CLOCK = 2;

    private static final MethodHandle CLOCK_GETTIME = System.getProperty("os.name").equals("Linux") ? clockGetTime() : null;

    private final ProcessHandle process;
    private final int clock;
    private final MemorySegment time = Arena.ofAuto().allocate(JAVA_LONG, 2); // seconds, nanoseconds

    private static MethodHandle clockGetTime() {
        Linker linker = Linker.nativeLinker();
        return linker.downcallHandle(linker.defaultLookup().findOrThrow("clock_gettime"), FunctionDescriptor.of(JAVA_INT, JAVA_INT, ValueLayout.ADDRESS));
    }

    /** @throws IllegalArgumentException if there is no such process, or its time can't be read */
    public ProcessClock(long pid) {
        process = ProcessHandle.of(pid).orElseThrow(() -> new IllegalArgumentException("there is no process " + pid));
        clock = (int) (~pid << 3) | PROCESS_CLOCK;
        if (nanos() < 0) {
            throw new IllegalArgumentException("the processor time of process %d can't be read".formatted(pid));
        }
    }

    public long pid() {
        return process.pid();
    }

    /** Used so far; -1 if the process has ended. */
    public long nanos() {
        if (CLOCK_GETTIME == null) {
            return process.info().totalCpuDuration().map(Duration::toNanos).orElse(-1L);
        }
        try {
            int failed = (int) CLOCK_GETTIME.invokeExact(clock, time);
            return failed == 0 ? time.getAtIndex(JAVA_LONG, 0) * 1_000_000_000 + time.getAtIndex(JAVA_LONG, 1) : -1;
        } catch (Throwable e) {
            throw new AssertionError("clock_gettime threw " + e, e);
        }
    }
}
