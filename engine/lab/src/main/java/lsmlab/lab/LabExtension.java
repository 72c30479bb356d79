// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab;

import org.dflib.jjava.jupyter.Extension;
import org.dflib.jjava.jupyter.kernel.BaseKernel;

/** Runs in the kernel before the first cell: the vocabulary is imported, and the kernel ends with the process that started it. */
public final class LabExtension implements Extension {
    @Override
    public void install(BaseKernel kernel) {
        try {
            // The exit has a thread of its own: it waits for the shutdown hooks, and they may need the pool that onExit runs on.
            ProcessHandle.current().parent().ifPresent(
                    parent -> parent.onExit().thenRun(() -> Thread.ofPlatform().name("parent-ended").start(() -> System.exit(1))));
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
}
