// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.show;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import lsmlab.lab.measure.Timeline;
import lsmlab.lab.notebook.Chart;
import org.HdrHistogram.AbstractHistogram;

/** A heat map of response times: a column a second, a row a step of time; colour says which share of the second's requests took so long. */
final class TimelineChart {
    private static final int ROWS_PER_DECADE = 8;
    private static final double HEAT_SHARE = 0.68; // of the height; the rest is for the events
    private static final double LOWEST_MICROS = 10;
    private static final int ROWS = 6 * ROWS_PER_DECADE; // 10 us to 10 s

    private TimelineChart() {}

    static Chart of(Timeline timeline) {
        List<Map<String, Object>> traces = new ArrayList<>();
        traces.add(heat(timeline.seconds()));
        for (String kind : timeline.rows()) {
            traces.add(bars(kind, timeline.events().stream().filter(event -> event.kind().equals(kind)).toList(), Hue.ofEvent(kind).color()));
        }
        List<String> warnings = Charts.warnings(timeline.run());
        Map<String, Object> x = Charts.axis("s after the start", "linear");
        Map<String, Object> y = Charts.axis("response time, ms", "log");
        y.put("domain", List.of(1 - HEAT_SHARE, 1));
        Map<String, Object> layout = Charts.layout("Response time second by second, and what the server did: " + timeline.run().label(), Charts.note(timeline.run()), warnings, x, y);
        Map<String, Object> events = new LinkedHashMap<>(Map.of("domain", List.of(0, 0.26), "type", "category", "autorange", "reversed", "automargin", true));
        events.put("categoryorder", "array");
        events.put("categoryarray", timeline.rows());
        layout.put("yaxis2", events);
        x.put("anchor", "y2");
        layout.put("showlegend", false);
        return new Chart("response time second by second", traces, layout, (int) (Chart.AXES_PIXELS / HEAT_SHARE));
    }

    private static double rowMillis(double row) {
        return LOWEST_MICROS * Math.pow(10, row / ROWS_PER_DECADE) / 1000;
    }

    private static Map<String, Object> heat(List<Timeline.Second> seconds) {
        List<Object> x = new ArrayList<>();
        List<Object> y = new ArrayList<>();
        List<List<Object>> shares = new ArrayList<>();
        seconds.forEach(second -> x.add(second.startSeconds() + 0.5));
        for (int row = 0; row < ROWS; row++) {
            y.add(rowMillis(row + 0.5));
            List<Object> line = new ArrayList<>();
            for (Timeline.Second second : seconds) {
                AbstractHistogram histogram = second.responseMicros();
                long from = Math.round(1000 * rowMillis(row));
                long to = row == ROWS - 1 ? Long.MAX_VALUE : Math.round(1000 * rowMillis(row + 1)) - 1;
                long count = histogram.getCountBetweenValues(row == 0 ? 0 : from, to);
                line.add(count == 0 ? null : Math.log10(100.0 * count / histogram.getTotalCount()));
            }
            shares.add(line);
        }
        Map<String, Object> heat = new LinkedHashMap<>();
        heat.put("type", "heatmap");
        heat.put("name", "share of the second's requests");
        heat.put("x", x);
        heat.put("y", y);
        heat.put("z", shares);
        heat.put("zmin", -3);
        heat.put("zmax", 2);
        heat.put("colorscale", "Cividis");
        heat.put("hovertemplate", "%{x:.0f} s, %{y:.3~f} ms<extra></extra>");
        heat.put("colorbar", Map.of("title", Map.of("text", "requests"), "len", 0.68, "y", 0.66,
                "tickvals", List.of(-3, -2, -1, 0, 1, 2), "ticktext", List.of("0.001 %", "0.01 %", "0.1 %", "1 %", "10 %", "100 %")));
        return heat;
    }

    private static Map<String, Object> bars(String kind, List<Timeline.Event> events, String color) {
        Map<String, Object> bars = new LinkedHashMap<>();
        bars.put("type", "bar");
        bars.put("orientation", "h");
        bars.put("name", kind);
        bars.put("yaxis", "y2");
        bars.put("base", events.stream().map(Timeline.Event::startSeconds).toList());
        bars.put("x", events.stream().map(Timeline.Event::durationSeconds).toList());
        bars.put("y", events.stream().map(_ -> kind).toList());
        bars.put("marker", Map.of("color", color, "line", Map.of("color", color, "width", 1)));
        bars.put("hovertemplate", kind + " at %{base:.2f} s for %{x:.4f} s<extra></extra>");
        return bars;
    }
}
