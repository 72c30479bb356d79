// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.notebook;

import java.util.UUID;
import org.dflib.jjava.jupyter.kernel.BaseKernel;
import org.dflib.jjava.jupyter.kernel.display.DisplayData;

/** One line under a cell whose text is replaced in place. Without a notebook it shows nothing. */
public final class Line {
    private static volatile BaseKernel kernel;

    private final String id = UUID.randomUUID().toString();
    private boolean shown;

    /** Called once by the notebook's kernel. */
    public static void showIn(BaseKernel notebookKernel) {
        kernel = notebookKernel;
    }

    void show(String text) {
        if (kernel == null) {
            return;
        }
        DisplayData data = new DisplayData(text);
        data.putTransientData("display_id", id); // setDisplayId is not the same method in all versions of JJava
        if (shown) {
            kernel.getIO().display.updateDisplay(data);
        } else {
            kernel.display(data);
            shown = true;
        }
    }
}
