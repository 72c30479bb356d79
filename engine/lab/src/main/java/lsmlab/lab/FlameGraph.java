// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab;

import java.util.Map;

/** async-profiler's interactive page in a frame of its own, so that its script can't reach the notebook. */
public final class FlameGraph implements Shown {
    private static final int HEIGHT_PIXELS = 420;
    /**
     * The page measures its canvas once. In a sandboxed frame that happens before the frame has a width, and the graph stays blank;
     * so it is loaded again when the width has changed. The root of the flames is at the bottom.
     */
    private static final String REDRAW = """
            <script>
            setInterval(() => {
              const width = document.body.clientWidth - 20;
              if (width > 0 && Math.abs(width - canvasWidth) > 1) location.reload();
            }, 400);
            scrollTo(0, 1e6);
            </script></body>""";

    private final String title;
    private final String page;

    FlameGraph(String title, String page) {
        if (!page.contains("canvasWidth") || !page.contains("</body>")) {
            throw new IllegalStateException("the converter's page has changed: the redraw script does not fit it");
        }
        this.title = title;
        this.page = page.replace("</body>", REDRAW);
    }

    @Override
    public Map<String, Object> content() {
        String quoted = page.replace("&", "&amp;").replace("\"", "&quot;");
        return Map.of(HTML, ("<iframe class=\"lsmlab-flamegraph\" sandbox=\"allow-scripts\" title=\"Flame graph: %s\" "
                + "style=\"width:100%%;height:%dpx;border:1px solid #ccc;background:white\" srcdoc=\"%s\">"
                + "[Flame graph hidden: this notebook is not trusted. Run the cell, or choose File &gt; Trust Notebook.]</iframe>")
                .formatted(Text.html(title), HEIGHT_PIXELS, quoted));
    }

    @Override
    public String toString() {
        return "Flame graph: " + title;
    }
}
