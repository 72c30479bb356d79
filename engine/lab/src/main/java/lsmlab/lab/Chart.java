// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A Plotly figure. The notebook and the HTML report draw it; nothing else is needed to read it again. */
public final class Chart implements Shown {
    private static final String PLOTLY = "application/vnd.plotly.v1+json";

    private final String title;
    private final List<Map<String, Object>> traces;
    private final Map<String, Object> layout;

    Chart(String title, List<Map<String, Object>> traces, Map<String, Object> layout) {
        this.title = title;
        this.traces = List.copyOf(traces);
        this.layout = layout;
    }

    @Override
    public Map<String, Object> content() {
        Map<String, Object> figure = new LinkedHashMap<>();
        figure.put("data", traces);
        figure.put("layout", layout);
        figure.put("config", Map.of("responsive", true));
        return Map.of(PLOTLY, figure);
    }

    @Override
    public String toString() {
        return "Chart: " + title + "\n" + String.join("\n", traces.stream().map(t -> "  " + t.get("name")).toList());
    }
}
