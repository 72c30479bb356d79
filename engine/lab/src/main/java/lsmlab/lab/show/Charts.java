// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.show;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import lsmlab.lab.environment.Given;
import lsmlab.lab.history.History;
import lsmlab.lab.measure.Comparison;
import lsmlab.lab.measure.Curve;
import lsmlab.lab.measure.Knee;
import lsmlab.lab.measure.Percentiles;
import lsmlab.lab.measure.Run;
import lsmlab.lab.measure.Timeline;
import lsmlab.lab.notebook.Chart;
import lsmlab.lab.notebook.FlameGraph;
import lsmlab.lab.notebook.Shown;
import lsmlab.lab.notebook.SmallStore;
import lsmlab.lab.profile.Profile;
import lsmlab.lab.replay.Replay;
import lsmlab.load.result.LoadResult;

/** The lab's charts. Measured curves are solid, reported ones dashed; a report without a curve is shown as marks. */
public final class Charts {
    /** Mostly the palette of Okabe and Ito, made for colour-blind readers; every colour is visible on white and on black. */
    private static final List<String> COLORS = List.of("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8C6D31", "#B5A900", "#999999", "#882255",
            "#AA4499", "#DDCC77");
    private static final String WARNING = "#D32F2F";
    /** Readable on a light and on a dark page; charts have no background of their own. */
    private static final String TEXT = "#767676";
    private static final String GRID = "#88888850";
    private static final String CLEAR = "rgba(0,0,0,0)";
    /** Letters of a title, and of the smaller lines below it, that fit a narrow page. */
    private static final int TITLE_LETTERS = 44;
    private static final int SUBTITLE_LETTERS = 62;
    static final int SMALL_PIXELS = 11;
    private static final int TICK_PIXELS = 5;
    private static final double LEAST_MS = 0.001; // on a logarithmic axis

    private Charts() {}

    /**
     * Response time by percentile on wrk2's axis: 1/(1-percentile), so that each further nine takes the same room. The last point
     * of a curve is its maximum, at percentile 1-1/n of n requests. The first curve that was reported has the colour of the first that was
     * measured, and so on.
     */
    public static Chart percentiles(Curve... curves) {
        Given.some("Charts.percentiles", "runs", (Object[]) curves);
        List<Map<String, Object>> traces = new ArrayList<>();
        Run[] runs = Stream.of(curves).filter(Run.class::isInstance).toArray(Run[]::new);
        CurveLabels labels = new CurveLabels();
        int measured = 0;
        int reported = 0;
        for (Curve curve : curves) {
            // The first that was measured and the first that was reported belong together, and so on.
            String color = color(curve.reported() ? reported++ : measured++);
            traces.add(curve.summaryOnly() ? marks(curve, color) : line(name(curve), color, curve.reported() ? "dash" : curve.estimated() ? "dot" : "solid", curve.points()));
            label(labels, name(curve), color, curve.points());
        }
        Map<String, Object> layout = layout("Response time by percentile", note(curves, runs), warnings(runs), percentileAxis(), axis("response time, ms", "log"));
        labels.into(layout);
        return new Chart("response time by percentile", traces, layout);
    }

    private static String note(Curve[] curves, Run... runs) {
        return runs.length == 0 && Stream.of(curves).anyMatch(Curve::estimated) ? "estimated from single requests" : note(runs);
    }

    private static void label(CurveLabels labels, String name, String color, List<Curve.Point> points) {
        if (!points.isEmpty()) {
            labels.add(name, color, points.getLast().inverse(), points.stream().map(point -> Math.max(point.ms(), LEAST_MS)).toList());
        }
    }

    private static String name(Curve curve) {
        return curve.label() + (curve.summaryOnly() ? " (mean, max)" : curve instanceof Run run && !run.sustained() ? " (not sustained)" : "");
    }

    /** Recorded times, in microseconds, by percentile. */
    public static Chart percentiles(String note, Map<String, long[]> micros) {
        List<Map<String, Object>> traces = new ArrayList<>();
        CurveLabels labels = new CurveLabels();
        micros.forEach((name, times) -> {
            List<Curve.Point> points = Percentiles.curve(times);
            label(labels, name, color(traces.size()), points);
            traces.add(line(name, color(traces.size()), "solid", points));
        });
        Map<String, Object> layout = layout("Time by percentile", note, List.of(), percentileAxis(), axis("time, ms", "log"));
        labels.into(layout);
        return new Chart("time by percentile", traces, layout);
    }

    /** How full the active memtable was, by time. A flat top is a memtable that is full and waits. */
    public static Chart memtable(Run... runs) {
        return OverTimeCharts.memtable(runs);
    }

    /** Response time from schedule beside service time from the actual send: the same run seen twice. */
    public static Chart responseAndService(Run run) {
        Given.some("Charts.responseAndService", "a run", run);
        List<Map<String, Object>> traces = new ArrayList<>();
        traces.add(line("response time (from when the request was due)", COLORS.get(0), "solid", run.points()));
        if (run.result().service() != null) {
            traces.add(line("service time (from when it was sent)", COLORS.get(1), "solid", Percentiles.curve(run.result().service().spectrum())));
        }
        return new Chart("response and service time", traces, layout("Response time and service time: " + run.label(), note(run), warnings(run),
                percentileAxis(), axis("time, ms", "log")));
    }

    /** Longest response and service time of the requests that were due in each slice of the run. */
    public static Chart overTime(Run run) {
        Given.some("Charts.overTime", "a run", run);
        if (run.result().intervals() == null) {
            throw new IllegalArgumentException("a real wrk2 does not report when things happened; set WRK2=wrk2.jar to use the lab's own generator");
        }
        List<Map<String, Object>> traces = List.of(
                slices(run, "longest response time", COLORS.get(0), LoadResult.Interval::responseMaxMs),
                slices(run, "longest service time", COLORS.get(1), LoadResult.Interval::serviceMaxMs));
        return new Chart("latency over time", traces, layout("Latency over time: " + run.label(), note(run), warnings(run),
                axis("when the request was due, s after the start", "linear"), axis("time, ms", "log")));
    }

    /** A percentile of the response times in each second of some timelines; grey is what was done during the first of them. */
    public static Chart overTime(double percentile, Timeline... timelines) {
        return OverTimeCharts.percentile(percentile, timelines);
    }

    /** The trials of the searches by rate, held or not, with the fitted curves and their bands. */
    public static Chart knees(Knee... knees) {
        Given.some("Charts.knees", "knees", (Object[]) knees);
        return KneeChart.of(knees);
    }

    /** Servers over the first one, a point with its interval for each measure; grey: the first one's second instance. */
    public static Chart ratios(Comparison comparison) {
        Given.some("Charts.ratios", "a comparison", comparison);
        return ComparisonChart.of(comparison);
    }

    /** An interactive flame graph of "cpu", "wall", "alloc" or "lock"; of an event that was never seen it says so. */
    public static FlameGraph flamegraph(Profile profile, String event) {
        Given.some("Charts.flamegraph", "a profile", profile);
        return FlameGraphs.of(profile, event);
    }

    /** What {@code after} spends more (red) and less (blue) than {@code before}, each frame by its share of the whole. */
    public static FlameGraph flamegraph(Profile before, Profile after, String event) {
        Given.some("Charts.flamegraph", "two profiles", before, after);
        return FlameGraphs.difference(before, after, event);
    }

    /** Where each profile's samples, bytes or waiting time went, by layer: bars that add up to 100 %. */
    public static Chart layers(String event, Profile... profiles) {
        Given.some("Charts.layers", "profiles", (Object[]) profiles);
        return LayersChart.of(event, profiles);
    }

    /** Latency over time as a heat map, with what the server did as bars below it. */
    public static Chart timeline(Timeline timeline) {
        Given.some("Charts.timeline", "a timeline", timeline);
        return TimelineChart.of(timeline);
    }

    /** What clients did around the first stale read: a line a client, a bar an operation with its value; red where a read is stale. */
    public static Chart history(History history) {
        Given.some("Charts.history", "a history", history);
        return HistoryChart.of(history);
    }

    /** A moving picture of the engine during a run, with a slider. */
    public static Shown replay(Replay replay) {
        Given.some("Charts.replay", "a replay", replay);
        return ReplayPage.of(replay);
    }

    /** Which part of the key space each table of a small store covers. */
    public static Chart keyRanges(SmallStore store) {
        Given.some("Charts.keyRanges", "a store", store);
        return KeyRangeChart.of(store.keyRanges());
    }

    private static Map<String, Object> slices(Run run, String name, String color, Function<LoadResult.Interval, Double> value) {
        List<Object> x = new ArrayList<>();
        List<Object> y = new ArrayList<>();
        for (LoadResult.Interval interval : run.result().intervals()) {
            x.add(interval.startSeconds());
            y.add(value.apply(interval));
        }
        return trace(name, color, "solid", x, y);
    }

    private static Map<String, Object> line(String name, String color, String dash, List<Curve.Point> points) {
        List<Object> x = new ArrayList<>();
        List<Object> y = new ArrayList<>();
        List<Object> percentiles = new ArrayList<>();
        for (Curve.Point point : points) {
            x.add(point.inverse());
            y.add(Math.max(point.ms(), LEAST_MS));
            percentiles.add(percentile(point.inverse()));
        }
        Map<String, Object> trace = trace(name, color, dash, x, y);
        trace.put("customdata", percentiles);
        trace.put("hovertemplate", "%{customdata} %: %{y:.3~f} ms");
        return trace;
    }

    /** The percentile at 1/(1-p) = x, with enough digits to differ from 100. */
    private static String percentile(double x) {
        int decimals = Math.max(0, (int) Math.ceil(Math.log10(x)) - 1);
        return String.format(Locale.ROOT, "%." + decimals + "f", 100 * (1 - 1 / x));
    }

    static Map<String, Object> trace(String name, String color, String dash, List<Object> x, List<Object> y) {
        Map<String, Object> trace = new LinkedHashMap<>();
        trace.put("type", "scatter");
        trace.put("mode", "lines");
        trace.put("name", name);
        trace.put("x", x);
        trace.put("y", y);
        trace.put("line", Map.of("color", color, "dash", dash, "width", 2));
        return trace;
    }

    /** The two numbers a report without a curve gives: its mean at the left edge, its maximum where one request in all stands. */
    private static Map<String, Object> marks(Curve curve, String color) {
        Map<String, Object> trace = new LinkedHashMap<>();
        trace.put("type", "scatter");
        trace.put("mode", "markers");
        trace.put("name", name(curve));
        trace.put("x", curve.points().stream().map(Curve.Point::inverse).toList());
        trace.put("y", curve.points().stream().map(Curve.Point::ms).toList());
        trace.put("marker", Map.of("color", color, "size", 11, "symbol", "diamond-open", "line", Map.of("width", 2)));
        return trace;
    }

    static String color(int index) {
        return COLORS.get(index % COLORS.size());
    }

    /** What makes a figure less than it seems stands in the figure. */
    static List<String> warnings(Run... runs) {
        List<String> warnings = new ArrayList<>();
        for (Run run : runs) {
            addWarnings(run, warnings);
        }
        return warnings.stream().distinct().toList();
    }

    private static void addWarnings(Run run, List<String> warnings) {
        LoadResult result = run.result();
        if (!run.sustained()) {
            warnings.add(run.label() + ": " + run.verdict());
        }
        if (run.measuredBeside() != null) {
            warnings.add("%s: measured while %s was measured, too".formatted(run.label(), run.measuredBeside()));
        }
        if (result.warning() != null) {
            warnings.add("%s: %s".formatted(run.label(), result.warning()));
        }
        String device = run.server().getOrDefault("device", "none");
        if (!device.equals("none")) {
            warnings.add("modelled device: " + device);
        }
    }

    private static Map<String, Object> percentileAxis() {
        Map<String, Object> axis = axis("percentile", "log");
        axis.put("tickvals", List.of(2, 10, 100, 1_000, 10_000, 100_000, 1_000_000));
        axis.put("ticktext", List.of("50 %", "90 %", "99 %", "99.9 %", "99.99 %", "99.999 %", "99.9999 %"));
        return axis;
    }

    static Map<String, Object> axis(String title, String type) {
        Map<String, Object> axis = new LinkedHashMap<>();
        axis.put("title", Map.of("text", title));
        axis.put("type", type);
        axis.put("gridcolor", GRID);
        axis.put("ticks", "outside"); // where two axes meet, one's label would touch the other's
        axis.put("ticklen", TICK_PIXELS);
        axis.put("tickcolor", CLEAR);
        if (type.equals("linear")) {
            axis.put("zerolinecolor", GRID);
        }
        axis.put("automargin", true);
        if (type.equals("log") && title.endsWith("ms")) {
            axis.put("dtick", 1);
        }
        return axis;
    }

    /** How runs were taken: mode, machine, load generator. */
    public static String note(Run... runs) {
        return runs.length == 0
                ? "reported, not measured"
                : "%s mode, %s, load by %s".formatted(distinct(runs, Run::mode), distinct(runs, Run::machine), distinct(runs, run -> run.result().generator()));
    }

    private static String distinct(Run[] runs, Function<Run, String> part) {
        return Stream.of(runs).map(part).distinct().collect(Collectors.joining(" and "));
    }

    static Map<String, Object> layout(String title, String note, List<String> warnings, Map<String, Object> xAxis, Map<String, Object> yAxis) {
        String text = String.join("<br>", lines(title, TITLE_LETTERS)) + lines(note, SUBTITLE_LETTERS).stream().map("<br><sub>%s</sub>"::formatted).collect(Collectors.joining());
        Map<String, Object> layout = new LinkedHashMap<>();
        layout.put("title", Map.of("text", text, "x", 0.02, "xanchor", "left", "yref", "container", "yanchor", "top"));
        layout.put("xaxis", xAxis);
        layout.put("yaxis", yAxis);
        layout.put("showlegend", true);
        layout.put("legend", Map.of("orientation", "h", "yref", "container", "y", 0.01, "yanchor", "bottom"));
        layout.put("font", Map.of("color", TEXT));
        layout.put("plot_bgcolor", CLEAR);
        layout.put("paper_bgcolor", CLEAR);
        if (!warnings.isEmpty()) {
            layout.put(Chart.ANNOTATIONS, List.of(warning(warnings)));
        }
        return layout;
    }

    /** One line above the axes, however many warnings there are; all of them where the pointer rests on it. */
    private static Map<String, Object> warning(List<String> warnings) {
        List<String> words = lines((warnings.size() == 1 ? "⚠ " : "⚠ %d warnings: ".formatted(warnings.size())) + warnings.getFirst(), SUBTITLE_LETTERS);
        Map<String, Object> line = new LinkedHashMap<>(Map.of("xref", "paper", "x", 0, "xanchor", "left", "yref", "paper", "y", 1, "yanchor", "bottom", "yshift", 2, "showarrow", false));
        line.put("text", words.getFirst() + (words.size() == 1 && warnings.size() == 1 ? "" : " …"));
        line.put("hovertext", warnings.stream().flatMap(warning -> lines("⚠ " + warning, SUBTITLE_LETTERS).stream()).collect(Collectors.joining("<br>")));
        line.put("font", Map.of("color", WARNING, "size", SMALL_PIXELS));
        return line;
    }

    /** The text broken between words. */
    private static List<String> lines(String text, int letters) {
        List<String> lines = new ArrayList<>();
        StringBuilder line = new StringBuilder();
        for (String word : text.split(" ")) {
            if (!line.isEmpty() && line.length() + 1 + word.length() > letters) {
                lines.add(line.toString());
                line.setLength(0);
            }
            line.append(line.isEmpty() ? "" : " ").append(word);
        }
        lines.add(line.toString());
        return lines;
    }
}
