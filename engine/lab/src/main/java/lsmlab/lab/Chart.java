// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A Plotly figure. The notebook and the HTML report draw it; nothing else is needed to read it again. */
public final class Chart implements Shown {
    private static final String PLOTLY = "application/vnd.plotly.v1+json";
    private static final MathContext VISIBLE = new MathContext(4);

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
        figure.put("data", rounded(traces));
        figure.put("layout", layout);
        figure.put("config", Map.of("responsive", true));
        return Map.of(PLOTLY, figure);
    }

    /** Numbers as fine as anybody can see: a notebook that is committed with its charts should stay small. */
    private static Object rounded(Object value) {
        return switch (value) {
            case List<?> list -> list.stream().map(Chart::rounded).toList();
            case Map<?, ?> map -> {
                Map<Object, Object> copy = new LinkedHashMap<>();
                map.forEach((key, inner) -> copy.put(key, rounded(inner)));
                yield copy;
            }
            case Double number when Double.isFinite(number) -> new BigDecimal(number).round(VISIBLE).doubleValue();
            case null, default -> value;
        };
    }

    @Override
    public String toString() {
        return "Chart: " + title + "\n" + String.join("\n", traces.stream().map(t -> "  " + t.get("name")).toList());
    }
}
