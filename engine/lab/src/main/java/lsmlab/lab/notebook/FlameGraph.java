// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.notebook;

import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import lsmlab.lab.environment.Text;

/** async-profiler's interactive page in a frame of its own, so that its script can't reach the notebook. */
public final class FlameGraph implements Shown {
    /** Beyond this the frame scrolls; most graphs are whole in less. */
    private static final int MAX_HEIGHT_PIXELS = 900;
    private static final int AROUND_CANVAS_PIXELS = 110;
    private static final Pattern CANVAS_HEIGHT = Pattern.compile("#canvas \\{width: 100%; height: (\\d+)px}");
    /** The page has no background of its own, so that it fits a light and a dark notebook. */
    private static final Map<String, String> CLEAR = Map.of(
            "--bg: #ffffff; --fg: #000000", "--bg: transparent; --fg: #767676",
            "--bg: #1e1e1e; --fg: #cccccc", "--bg: transparent; --fg: #767676",
            "c.fillRect(0, 0, canvasWidth, canvasHeight)", "c.clearRect(0, 0, canvasWidth, canvasHeight)",
            "c.fillStyle = bg + '80'", "c.fillStyle = 'rgba(255, 255, 255, 0.5)'",
            "</style>", "#darkmode, dl.frames {display: none}</style>");
    /**
     * The page measures its canvas once. In a sandboxed frame that happens before the frame has a width, and the graph stays blank;
     * so it is loaded again when the width has changed.
     */
    private static final String REDRAW = """
            <script>
            setInterval(() => {
              const width = document.body.clientWidth - 20;
              if (width > 0 && Math.abs(width - canvasWidth) > 1) location.reload();
            }, 400);
            </script></body>""";

    private final String title;
    private final Map<String, Object> content;

    private FlameGraph(String title, Map<String, Object> content) {
        this.title = title;
        this.content = content;
    }

    /** @param page as the converter writes it */
    public static FlameGraph of(String title, String page) {
        Matcher height = CANVAS_HEIGHT.matcher(page);
        if (!height.find() || !page.contains("canvasWidth") || !page.contains("</body>") || !CLEAR.keySet().stream().allMatch(page::contains)) {
            throw new IllegalStateException("the converter's page has changed: what is replaced in it is not there");
        }
        String changed = page.replace("</body>", REDRAW);
        for (Map.Entry<String, String> replaced : CLEAR.entrySet()) {
            changed = changed.replace(replaced.getKey(), replaced.getValue());
        }
        int pixels = Math.min(MAX_HEIGHT_PIXELS, Integer.parseInt(height.group(1)) + AROUND_CANVAS_PIXELS);
        return new FlameGraph(title, new Frame("flamegraph", "Flame graph", title, pixels, changed, title).content());
    }

    /** A sentence in the place of the graph, for an event that never occurred. */
    public static FlameGraph empty(String title, String text) {
        return new FlameGraph(title, Map.of(HTML, "<p>" + Text.html(text) + "</p>"));
    }

    @Override
    public Map<String, Object> content() {
        return content;
    }

    @Override
    public String toString() {
        return "Flame graph: " + title;
    }
}
