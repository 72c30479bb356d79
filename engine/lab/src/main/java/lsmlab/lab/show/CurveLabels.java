// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.show;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import lsmlab.lab.notebook.Chart;

/** Names at the right ends of curves over logarithmic axes, moved apart where ends are close together. The vertical axis gets a range of its own, so that their places are known. */
final class CurveLabels {
    private static final int LETTERS = 44;
    private static final double LINE_PIXELS = 15;
    private static final double ABOVE_PIXELS = 9; // the middle of a name above its curve's end
    private static final int ROUNDS = 10;
    private static final double MARGIN = 0.06; // of the axis, below and above all curves

    private record End(String name, String color, double x, double y) {}

    private final List<End> ends = new ArrayList<>();
    private double low = Double.POSITIVE_INFINITY; // logarithms
    private double high = Double.NEGATIVE_INFINITY;

    /** @param ys all of the curve; its last point is at {@code x} */
    void add(String name, String color, double x, List<Double> ys) {
        ys.forEach(y -> {
            low = Math.min(low, Math.log10(y));
            high = Math.max(high, Math.log10(y));
        });
        ends.add(new End(name.length() <= LETTERS ? name : name.substring(0, LETTERS - 1) + "…", color, Math.log10(x), Math.log10(ys.getLast())));
    }

    /** Into a chart's layout, in place of the legend. */
    @SuppressWarnings("unchecked")
    void into(Map<String, Object> layout) {
        if (ends.isEmpty()) {
            return;
        }
        ends.sort(Comparator.comparingDouble(End::y));
        double height = Math.max(0.3, high - low);
        double bottom = low - MARGIN * height;
        double top = high + MARGIN * height;
        for (int i = 0; i < ROUNDS; i++) { // with more room above, what is below it has fewer pixels
            double[] places = places(Chart.AXES_PIXELS / (top - bottom), bottom);
            top += Math.max(0, places[places.length - 1] + LINE_PIXELS / 2 - Chart.AXES_PIXELS) * (top - bottom) / Chart.AXES_PIXELS;
        }
        Map<String, Object> axis = new LinkedHashMap<>((Map<String, Object>) layout.get("yaxis"));
        axis.put("range", List.of(bottom, top));
        layout.put("yaxis", axis);
        Chart.annotate(layout, labels(Chart.AXES_PIXELS / (top - bottom), bottom));
        layout.put("showlegend", false);
    }

    /** Middles of the names above the bottom, in pixels, from the lowest to the highest: each is at least a line above the one before. */
    private double[] places(double pixelsPerUnit, double bottom) {
        double[] places = ends.stream().mapToDouble(end -> (end.y - bottom) * pixelsPerUnit + ABOVE_PIXELS).toArray();
        for (int i = 0; i < places.length; i++) {
            places[i] = Math.max(places[i], i == 0 ? LINE_PIXELS / 2 : places[i - 1] + LINE_PIXELS);
        }
        return places;
    }

    private List<Map<String, Object>> labels(double pixelsPerUnit, double bottom) {
        List<Map<String, Object>> labels = new ArrayList<>();
        double[] places = places(pixelsPerUnit, bottom);
        for (int i = 0; i < places.length; i++) {
            End end = ends.get(i);
            long shift = Math.round(places[i] - (end.y - bottom) * pixelsPerUnit);
            Map<String, Object> label =
                    new LinkedHashMap<>(Map.of("text", end.name, "x", end.x, "xanchor", "right", "y", end.y, "yanchor", "middle", "yshift", shift, "showarrow", false));
            label.put("font", Map.of("color", end.color, "size", Charts.SMALL_PIXELS));
            labels.add(label);
        }
        return labels;
    }
}
