// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab;

import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.Optional;
import lsmlab.lab.grading.Grading;
import lsmlab.lab.grading.OwnNames;
import lsmlab.lab.kernel.LabConnection;
import lsmlab.lab.notebook.CellClass;
import lsmlab.lab.notebook.Display;
import lsmlab.lab.notebook.Vocabulary;
import lsmlab.lab.show.Renderers;
import org.dflib.jjava.jupyter.Extension;
import org.dflib.jjava.jupyter.kernel.BaseKernel;

/**
 * Runs in the kernel before the first cell: the vocabulary is imported, and the kernel ends on request, and with the process
 * that started it.
 */
public final class LabExtension implements Extension {
    /** Names the file of Jupyter's that says which ports to serve; the kernel's specification sets it. */
    private static final String CONNECTION_FILE = "lsmlab.connection";

    @Override
    public void install(BaseKernel kernel) {
        try {
            endWithJupyter();
            Display.showIn(kernel);
            CellClass.of(kernel);
            Renderers.register(kernel.getRenderer());
            if (Grading.isUnderWay()) {
                OwnNames.refuse(CellClass.shell());
            }
            kernel.evalRaw(Vocabulary.imports());
            // WHY it does not return before the kernel ends: JJava would make a connection of its own, whose handlers can't be replaced.
            LabConnection.serve(kernel, Path.of(System.getProperty(CONNECTION_FILE)));
            // The pool that runs cells would keep the JVM for a minute; Jupyter waits some seconds for that, at each restart.
            System.exit(0);
        } catch (RuntimeException | IOException | GeneralSecurityException e) {
            // WHY not thrown: the kernel would hang without a word. The first cell will say that it knows no Lab.
            System.err.println("LSM Lab could not be preloaded: " + e);
        }
    }

    /** Jupyter may end while this JVM still starts: its number is then known, and no process has it any more. */
    private static void endWithJupyter() {
        String jupyter = System.getenv("JPY_PARENT_PID");
        Optional<ProcessHandle> parent = jupyter == null ? ProcessHandle.current().parent() : ProcessHandle.of(Long.parseLong(jupyter));
        if (parent.isEmpty() && jupyter != null) {
            System.exit(1);
        }
        // The exit has a thread of its own: it waits for the shutdown hooks, and they may need the pool that onExit runs on.
        parent.ifPresent(process -> process.onExit().thenRun(() -> Thread.ofPlatform().name("parent-ended").start(() -> System.exit(1))));
    }
}
