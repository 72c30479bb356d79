// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab;

import org.dflib.jjava.jupyter.Extension;
import org.dflib.jjava.jupyter.kernel.BaseKernel;

/** Runs in the kernel before the first cell: the vocabulary is imported, and the kernel ends with the process that started it. */
public final class LabExtension implements Extension {
    @Override
    public void install(BaseKernel kernel) {
        try {
            ProcessHandle.current().parent().ifPresent(parent -> parent.onExit().thenRun(() -> System.exit(1)));
            Progress.showIn(kernel);
            kernel.evalRaw("import lsmlab.lab.*;");
        } catch (RuntimeException e) {
            // WHY not thrown: the kernel would hang without a word. The first cell will say that it knows no Lab.
            System.err.println("LSM Lab could not be preloaded: " + e);
        }
    }
}
