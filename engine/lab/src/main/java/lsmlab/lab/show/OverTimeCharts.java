// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.show;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import lsmlab.lab.environment.Given;
import lsmlab.lab.environment.Text;
import lsmlab.lab.measure.Run;
import lsmlab.lab.measure.Timeline;
import lsmlab.lab.notebook.Chart;
import lsmlab.lab.replay.Replay;

/** What changed during some runs, a line for each, by the seconds since it began. */
final class OverTimeCharts {
    private static final double MB = 1 << 20;
    private static final String MARK = "#B0B0B0";

    private OverTimeCharts() {}

    /** From the frames of the runs' replays. */
    static Chart memtable(Run... runs) {
        Given.some("Charts.memtable", "runs", (Object[]) runs);
        List<Map<String, Object>> traces = new ArrayList<>();
        for (Run run : runs) {
            Replay replay = Replay.of(run, "");
            traces.add(line(run, traces.size(), replay.frames().stream().<Object>map(frame -> frame.nanos() / 1e9).toList(),
                    replay.frames().stream().<Object>map(frame -> frame.layout().activeBytes() / MB).toList()));
        }
        return chart("Fill of the memtable", traces, Charts.axis("MB", "linear"), List.of(), runs);
    }

    static Chart percentile(double percentile, Timeline... timelines) {
        Given.some("Charts.overTime", "timelines", (Object[]) timelines);
        List<Map<String, Object>> traces = new ArrayList<>();
        for (Timeline timeline : timelines) {
            traces.add(line(timeline.run(), traces.size(), timeline.seconds().stream().<Object>map(Timeline.Second::startSeconds).toList(),
                    timeline.seconds().stream().<Object>map(second -> second.responseMicros().getValueAtPercentile(percentile) / 1e3).toList()));
        }
        return chart("p%s of each second".formatted(Text.plain(percentile)), traces, Charts.axis("response time, ms", "log"), timelines[0].steps(),
                Stream.of(timelines).map(Timeline::run).toArray(Run[]::new));
    }

    /** What was done meanwhile, as grey times behind the lines, with their names in them: above the axes is the line of warnings. */
    private static void mark(List<Timeline.Event> steps, Map<String, Object> layout) {
        Chart.annotate(layout, steps.stream()
                .map(step -> Map.of("x", step.startSeconds(), "y", 1, "yref", "paper", "text", step.kind(), "showarrow", false, "xanchor", "left", "yanchor", "top")).toList());
        layout.put("shapes", steps.stream().map(step -> Map.of("type", "rect", "layer", "below", "yref", "paper", "y0", 0, "y1", 1, "x0", step.startSeconds(), "x1",
                step.startSeconds() + step.durationSeconds(), "line", Map.of("width", 1, "color", MARK), "fillcolor", MARK, "opacity", 0.3)).toList());
    }

    private static Map<String, Object> line(Run run, int number, List<Object> seconds, List<Object> values) {
        Map<String, Object> trace = Charts.trace(run.label(), Charts.color(number), "solid", seconds, values);
        trace.put("mode", "lines+markers");
        return trace;
    }

    private static Chart chart(String title, List<Map<String, Object>> traces, Map<String, Object> axis, List<Timeline.Event> steps, Run... runs) {
        Map<String, Object> layout = Charts.layout(title, Charts.note(runs), Charts.warnings(runs), Charts.axis("seconds after the start", "linear"), axis);
        if (!steps.isEmpty()) {
            mark(steps, layout);
        }
        return new Chart(title, traces, layout);
    }
}
