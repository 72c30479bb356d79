// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.show;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import lsmlab.lab.environment.Given;
import lsmlab.lab.notebook.Chart;
import lsmlab.lab.notebook.Shown;

/** What a model says as lines, and what was counted as points beside them; both axes are logarithmic. */
public final class ModelChart implements Shown {
    private final String title;
    private final String note;
    private final String xAxis;
    private final String yAxis;
    private final List<Map<String, Object>> traces = new ArrayList<>();

    /** @param note a line below the title */
    public ModelChart(String title, String note, String xAxis, String yAxis) {
        this.title = title;
        this.note = note;
        this.xAxis = xAxis;
        this.yAxis = yAxis;
    }

    /**
     * Adds a line and its points, each an array of x and y.
     *
     * @param name of the line; it stands in the legend
     */
    public ModelChart add(String name, List<double[]> model, List<double[]> counted) {
        Given.some("add", "the points of the model and those that were counted", name, model, counted);
        String color = Charts.color(traces.size() / 2);
        Map<String, Object> line = trace(name, "lines", color, model);
        line.put("line", Map.of("color", color, "width", 1.5));
        Map<String, Object> points = trace(name + ", counted", "markers", color, counted);
        points.put("marker", Map.of("color", color, "size", 9));
        points.put("showlegend", false);
        traces.add(line);
        traces.add(points);
        return this;
    }

    private static Map<String, Object> trace(String name, String mode, String color, List<double[]> points) {
        Map<String, Object> trace = Charts.trace(name, color, "solid", points.stream().<Object>map(point -> point[0]).toList(), points.stream().<Object>map(point -> point[1]).toList());
        trace.put("mode", mode);
        return trace;
    }

    private Chart chart() {
        return new Chart(title, traces, Charts.layout(title, note, List.of(), Charts.axis(xAxis, "log"), Charts.axis(yAxis, "log")));
    }

    @Override
    public Map<String, Object> content() {
        return chart().content();
    }

    @Override
    public String toString() {
        return chart().toString();
    }
}
