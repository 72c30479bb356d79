// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.notebook;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import java.util.Map;
import org.dflib.jjava.jupyter.kernel.display.DisplayDataRenderable;
import org.dflib.jjava.jupyter.kernel.display.RenderContext;
import org.dflib.jjava.jupyter.kernel.display.mime.MIMEType;

/** Something a notebook can show. Its {@code toString} is the plain text of the same. */
@JsonIgnoreProperties({"preferredRenderTypes", "supportedRenderTypes"}) // the kernel's, and no part of a row
public interface Shown extends DisplayDataRenderable {
    String HTML = "text/html";

    /** Content by MIME type, text/plain apart. */
    Map<String, Object> content();

    @Override
    default void render(RenderContext context) {
        content().forEach((type, value) -> context.renderIfRequested(MIMEType.parse(type), () -> value));
        context.renderIfRequested(MIMEType.TEXT_PLAIN, this::toString);
    }
}
