// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.show;

import java.util.List;
import java.util.Map;
import lsmlab.lab.environment.Text;
import lsmlab.load.result.Interval;

/** Ratios with their intervals as marks, one below the other, on a logarithmic axis. */
final class RatioMarks {
    private static final List<Double> TICKS = List.of(0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0);
    private static final int MARK_PIXELS = 10;

    private RatioMarks() {}

    /** @param names what each ratio is of */
    static Map<String, Object> trace(String name, String color, List<Interval> ratios, List<String> names) {
        Map<String, Object> trace = Charts.trace(name, color, "solid", ratios.stream().<Object>map(Interval::median).toList(), List.copyOf(names));
        trace.put("mode", "markers");
        trace.put("marker", Map.of("color", color, "size", MARK_PIXELS));
        trace.put("error_x", Map.of("type", "data", "symmetric", false, "color", color,
                "array", ratios.stream().map(ratio -> bar(ratio.high() - ratio.median())).toList(),
                "arrayminus", ratios.stream().map(ratio -> bar(ratio.median() - ratio.low())).toList()));
        return trace;
    }

    /** An unknown interval has no bar; a table says that it is unknown. */
    private static double bar(double length) {
        return Double.isFinite(length) ? length : 0;
    }

    static Map<String, Object> ratioAxis(String title) {
        Map<String, Object> axis = Charts.axis(title, "log");
        axis.put("tickvals", TICKS);
        axis.put("ticktext", TICKS.stream().map(Text::plain).toList());
        return axis;
    }

    /** The first name at the top. */
    static Map<String, Object> nameAxis() {
        Map<String, Object> axis = Charts.axis("", "category");
        axis.put("autorange", "reversed");
        return axis;
    }
}
