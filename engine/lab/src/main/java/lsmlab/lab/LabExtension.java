// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab;

import org.dflib.jjava.jupyter.Extension;
import org.dflib.jjava.jupyter.kernel.BaseKernel;

/**
 * Runs in the kernel before the first cell: the vocabulary is imported, and the kernel ends when it is told to, and with the process
 * that started it.
 */
public final class LabExtension implements Extension {
    @Override
    public void install(BaseKernel kernel) {
        try {
            // The exit has a thread of its own: it waits for the shutdown hooks, and they may need the pool that onExit runs on.
            ProcessHandle.current().parent().ifPresent(
                    parent -> parent.onExit().thenRun(() -> Thread.ofPlatform().name("parent-ended").start(() -> System.exit(1))));
            Thread kernelMain = Thread.currentThread();
            Thread.ofPlatform().daemon().name("kernel-ended").start(() -> exitAfter(kernelMain));
            Progress.showIn(kernel);
            CellClass.of(kernel);
            if (Assignment.isGraded()) {
                OwnNames.refuse(CellClass.shell());
            }
            kernel.evalRaw("import java.util.function.*; import java.util.stream.*; import lsmlab.lab.*;");
        } catch (RuntimeException e) {
            // WHY not thrown: the kernel would hang without a word. The first cell will say that it knows no Lab.
            System.err.println("LSM Lab could not be preloaded: " + e);
        }
    }

    /** The pool that runs cells would keep the JVM for a minute; Jupyter waits some seconds for that, at each restart. */
    private static void exitAfter(Thread kernelMain) {
        try {
            kernelMain.join();
            System.exit(0);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
