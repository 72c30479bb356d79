// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.notebook;

import java.util.Map;
import java.util.UUID;
import org.dflib.jjava.jupyter.kernel.BaseKernel;
import org.dflib.jjava.jupyter.kernel.display.DisplayData;

/** A place under the running cell; what is shown there takes the place of what was. Without a notebook it shows nothing. */
public final class Display {
    private static volatile BaseKernel kernel;

    private final String id = UUID.randomUUID().toString();
    private boolean shown;

    /** Called once by the notebook's kernel. */
    public static void showIn(BaseKernel notebookKernel) {
        kernel = notebookKernel;
    }

    void show(String text) {
        show(text, Map.of());
    }

    /** @param more content by MIME type, besides the text */
    void show(String text, Map<String, Object> more) {
        if (kernel == null) {
            return;
        }
        DisplayData data = new DisplayData(text);
        more.forEach(data::putData);
        data.putTransientData("display_id", id); // setDisplayId is not the same method in all versions of JJava
        if (shown) {
            kernel.getIO().display.updateDisplay(data);
        } else {
            kernel.display(data);
            shown = true;
        }
    }
}
