// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.show;

import java.util.List;
import java.util.Map;
import lsmlab.lab.environment.Text;
import lsmlab.lab.notebook.Chart;
import lsmlab.lab.notebook.Shown;
import lsmlab.lab.notebook.Table;
import lsmlab.lab.predict.Prediction;
import lsmlab.lab.predict.Predictions;

/** How good predictions were: each over what was measured, on a logarithmic axis. The bar is the measurement's interval, the shade what counts as near. */
public final class PredictionChart {
    private static final int AXES_PIXELS = 60;
    private static final int LINE_PIXELS = 34;

    private PredictionChart() {}

    /** A table without lines if there are none. */
    public static Shown of(List<Prediction> predictions) {
        if (predictions.isEmpty()) {
            return new Table("Your predictions so far: none", "asked", "expected", "measured");
        }
        Map<String, Object> trace = RatioMarks.trace(words(predictions), Charts.color(0), predictions.stream().map(Prediction::ratio).toList(),
                predictions.stream().map(Prediction::what).toList());
        trace.put("showlegend", false);
        trace.put("text", predictions.stream().map(Prediction::toString).toList());
        trace.put("hovertemplate", "%{text}<extra></extra>");
        Map<String, Object> layout = Charts.layout("Your predictions so far", words(predictions), List.of(), RatioMarks.ratioAxis("your prediction / measured"), RatioMarks.nameAxis());
        layout.put("shapes", List.of(Map.of("type", "rect", "x0", 1 / Predictions.NEAR, "x1", Predictions.NEAR, "yref", "paper", "y0", 0, "y1", 1, "line", Map.of("width", 0),
                "fillcolor", Charts.color(0), "opacity", 0.12)));
        return new Chart("predictions", List.of(trace), layout, AXES_PIXELS + LINE_PIXELS * predictions.size());
    }

    private static String words(List<Prediction> predictions) {
        long near = predictions.stream().filter(prediction -> prediction.factor() <= Predictions.NEAR).count();
        return "%d of %d within a factor of %s (shaded)".formatted(near, predictions.size(), Text.plain(Predictions.NEAR));
    }
}
