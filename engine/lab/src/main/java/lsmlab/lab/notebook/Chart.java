// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.notebook;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A Plotly figure. The notebook and the HTML report draw it; nothing else is needed to read it again. Its height is its own, its width that
 * of the page: where that is so small that each entry of the legend has a line, the axes still have {@link #AXES_PIXELS}.
 */
public final class Chart implements Shown {
    private static final String PLOTLY = "application/vnd.plotly.v1+json";
    /** The part of a layout with text inside the figure: names of curves, and the line of warnings, which alone has more to show where the pointer rests. */
    public static final String ANNOTATIONS = "annotations";
    private static final String HOVER = "hovertext";
    private static final MathContext VISIBLE = new MathContext(4);
    /** The least height of the axes. */
    public static final int AXES_PIXELS = 340;
    private static final int FIRST_LINES_PIXELS = 68; // the title and its distances
    private static final double TITLE_PIXELS = 22; // from the top to the title
    private static final int LINE_PIXELS = 18; // one below it
    private static final int AXIS_PIXELS = 70; // ticks and title of the axis below
    private static final int LEGEND_LINE_PIXELS = 20;

    private final String title;
    private final List<Map<String, Object>> traces;
    private final Map<String, Object> layout;

    /** Adds text inside the figure to what the layout has. */
    public static void annotate(Map<String, Object> layout, List<?> more) {
        layout.put(ANNOTATIONS, Stream.concat(((List<?>) layout.getOrDefault(ANNOTATIONS, List.of())).stream(), more.stream()).toList());
    }

    public Chart(String title, List<Map<String, Object>> traces, Map<String, Object> layout) {
        this(title, traces, layout, AXES_PIXELS);
    }

    /** @param layout of {@code Charts.layout} */
    @SuppressWarnings("unchecked")
    public Chart(String title, List<Map<String, Object>> traces, Map<String, Object> layout, int axesPixels) {
        this.title = title;
        this.traces = List.copyOf(traces);
        this.layout = new LinkedHashMap<>(layout);
        Map<String, Object> head = new LinkedHashMap<>((Map<String, Object>) layout.get("title"));
        int lines = head.get("text").toString().split("<br>").length - (warnings(layout).findAny().isPresent() ? 0 : 1);
        int top = FIRST_LINES_PIXELS + LINE_PIXELS * lines;
        long legendLines = Boolean.TRUE.equals(layout.get("showlegend")) ? traces.stream().filter(trace -> !Boolean.FALSE.equals(trace.get("showlegend"))).count() : 0;
        long height = top + axesPixels + AXIS_PIXELS + LEGEND_LINE_PIXELS * legendLines;
        head.put("y", 1 - TITLE_PIXELS / height); // a share of the height
        this.layout.put("title", head);
        this.layout.put("margin", Map.of("t", top, "l", 70, "r", 30, "b", 60));
        this.layout.put("height", height);
    }

    @Override
    public Map<String, Object> content() {
        Map<String, Object> figure = new LinkedHashMap<>();
        figure.put("data", rounded(traces));
        figure.put("layout", layout);
        // WHY not responsive: Plotly then takes its height from a box that takes its height from the chart, and both end at nothing.
        figure.put("config", Map.of());
        return Map.of(PLOTLY, figure);
    }

    /** Numbers as fine as a reader can see: a notebook that is committed with its charts should stay small. */
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
        return Stream.of(Stream.of("Chart: " + title), warnings(layout), traces.stream().map(trace -> "  " + trace.get("name"))).flatMap(line -> line).collect(Collectors.joining("\n"));
    }

    private static Stream<String> warnings(Map<String, Object> layout) {
        return layout.get(ANNOTATIONS) instanceof List<?> texts
                ? texts.stream().map(text -> ((Map<?, ?>) text).get(HOVER)).filter(Objects::nonNull).flatMap(warning -> Stream.of(warning.toString().split("<br>"))) : Stream.of();
    }
}
