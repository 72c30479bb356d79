// SPDX-License-Identifier: Apache-2.0
package lsmlab.load.machine;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.invoke.MethodHandle;

/** Linux wakes a thread up to 50 µs late, so that it can wake several together; a thread that paces others does not want that. */
public final class TimerSlack {
    private static final int SET_TIMER_SLACK = 29; // PR_SET_TIMERSLACK, prctl(2)
    private static final long SHORTEST_NANOS = 1;

    private TimerSlack() {}

    /** For the calling thread and those that it starts from now on; does nothing on other systems. The first call takes tens of milliseconds. */
    public static void reduce() {
        if (System.getProperty("os.name").equals("Linux")) {
            Linker linker = Linker.nativeLinker();
            MethodHandle prctl = linker.downcallHandle(linker.defaultLookup().findOrThrow("prctl"),
                    FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG), Linker.Option.firstVariadicArg(1));
            try {
                int _ = (int) prctl.invokeExact(SET_TIMER_SLACK, SHORTEST_NANOS);
            } catch (Throwable e) {
                throw new AssertionError("prctl threw " + e, e);
            }
        }
    }
}
