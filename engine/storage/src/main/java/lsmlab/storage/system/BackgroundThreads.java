// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage.system;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.FunctionDescriptor;
import java.lang.invoke.MethodHandle;
import java.util.concurrent.ThreadFactory;

/**
 * Low-priority threads for flushes and compactions. These are bursts: with an equal share of the cores they would delay every read and write.
 * When they get too little processor time, writes stall, and the stall gives them the rest.
 */
public final class BackgroundThreads {
    private static final int NICENESS = 10; // a tenth of the weight of others, setpriority(2)
    private static final int THREAD = 0; // PRIO_PROCESS, which on Linux means a thread
    private static final int CALLING = 0;

    private BackgroundThreads() {}

    /** On systems other than Linux they are threads like any. */
    public static ThreadFactory named(Thread.Builder name) {
        ThreadFactory factory = name.factory();
        return task -> factory.newThread(() -> {
            stepBack();
            task.run();
        });
    }

    private static void stepBack() {
        try {
            if (CLibrary.IS_LINUX) {
                MethodHandle setPriority = CLibrary.function("setpriority", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT));
                int _ = (int) setPriority.invokeExact(THREAD, CALLING, NICENESS);
            }
        } catch (Throwable e) {
            // Without memory, for one. The thread keeps its priority then. If it ended here, its pool would never replace it.
        }
    }
}
