// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.show;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import lsmlab.lab.environment.Text;
import lsmlab.lab.measure.Comparison;
import lsmlab.lab.notebook.Chart;
import lsmlab.lab.notebook.Table;
import lsmlab.load.result.Interval;
import lsmlab.load.result.LoadResult;
import lsmlab.load.result.Ratio;
import lsmlab.load.result.RoundsResult;

/** Servers compared under one load: the table, and the ratios as points with their intervals. */
final class ComparisonChart {
    /** Counters of a GET that do not depend on the machine. */
    private static final Map<String, String> COUNTERS = new LinkedHashMap<>();
    private static final String AGAIN = "#999999";

    static {
        COUNTERS.put("tablesAsked", "tables asked per GET");
        COUNTERS.put("probes", "keys compared per GET");
    }

    private ComparisonChart() {}

    static Chart of(Comparison comparison) {
        List<String> measures = measures(comparison);
        List<Map<String, Object>> traces = new ArrayList<>();
        int last = comparison.servers().size() - 1;
        for (int target = 1; target <= last; target++) {
            traces.add(points(comparison, target, measures, target == last ? AGAIN : Charts.color(target - 1)));
        }
        Map<String, Object> layout = Charts.layout("Ratio to " + comparison.servers().getFirst() + ": " + comparison.label(), note(comparison), warnings(comparison),
                RatioMarks.ratioAxis("ratio, with its 95 % interval"), RatioMarks.nameAxis());
        layout.put("shapes", List.of(Map.of("type", "line", "x0", 1, "x1", 1, "yref", "paper", "y0", 0, "y1", 1, "line", Map.of("color", AGAIN, "dash", "dot"))));
        return new Chart("ratios", traces, layout);
    }

    private static Map<String, Object> points(Comparison comparison, int target, List<String> measures, String color) {
        List<Interval> intervals = measures.stream().map(measure -> comparison.interval(target, measure)).toList();
        Map<String, Object> trace = RatioMarks.trace(comparison.servers().get(target), color, intervals, measures.stream().map(Ratio::words).toList());
        trace.put("hovertemplate", "%{y}: %{x:.3f}");
        return trace;
    }

    /** Cost first: what does not depend on the machine, then processor time, then what a client sees. */
    static Table table(Comparison comparison) {
        int last = comparison.servers().size() - 1;
        List<String> head = new ArrayList<>(List.of("measure"));
        head.addAll(comparison.servers().subList(0, last));
        comparison.servers().subList(1, last).forEach(server -> head.add(server + " / " + comparison.servers().getFirst()));
        head.add("the first again / the first (A/A)");
        Table table = new Table("%s; %s%s".formatted(comparison.label(), note(comparison), String.join("", warnings(comparison).stream().map("; "::concat).toList())),
                head.toArray(String[]::new));
        COUNTERS.forEach((counter, name) -> {
            if (comparison.perGet(0, counter) != null) {
                table.row(counted(name, target -> comparison.perGet(target, counter), last));
            }
        });
        if (comparison.writtenBytesPerWrite(0) != null) {
            table.row(counted("bytes written per PUT", comparison::writtenBytesPerWrite, last));
        }
        measures(comparison).forEach(measure -> table.row(measured(comparison, measure, last)));
        return table;
    }

    private static String[] counted(String name, IntFunction<Double> counter, int last) {
        List<String> row = new ArrayList<>(List.of(name));
        for (int target = 0; target < last; target++) {
            row.add(Tables.words(counter.apply(target)));
        }
        Double first = counter.apply(0);
        for (int target = 1; target <= last; target++) {
            Double other = counter.apply(target);
            row.add(Tables.words(other == null ? null : other / first));
        }
        return row.toArray(String[]::new);
    }

    private static String[] measured(Comparison comparison, String measure, int last) {
        List<String> row = new ArrayList<>(List.of(Ratio.words(measure)));
        for (int target = 0; target < last; target++) {
            double median = comparison.median(target, measure);
            row.add(switch (measure) {
                case "cpuMicrosPerRequest" -> Text.significant(median) + " µs";
                case "throughput" -> Text.rate(median);
                default -> Text.ms(median);
            });
        }
        for (int target = 1; target <= last; target++) {
            row.add(Tables.words(comparison.interval(target, measure)));
        }
        return row.toArray(String[]::new);
    }

    private static List<String> measures(Comparison comparison) {
        return Ratio.MEASURES.stream().filter(measure -> comparison.hasCpu() || !measure.equals("cpuMicrosPerRequest")).toList();
    }

    private static String note(Comparison comparison) {
        RoundsResult.Method method = comparison.found().method();
        long disturbed = comparison.found().slices().stream().filter(slice -> slice.disturbed() != null).count();
        return "%d rounds of %s, %d of %d slices disturbed; %s mode, %s".formatted(method.rounds(), Text.ms(1_000 * method.sliceSeconds()), disturbed,
                comparison.found().slices().size(), comparison.mode(), comparison.machine());
    }

    private static List<String> warnings(Comparison comparison) {
        List<String> warnings = new ArrayList<>();
        if (!comparison.found().method().level()) {
            warnings.add("service times were still falling when the rounds began");
        }
        for (int i = 0; i < comparison.servers().size(); i++) {
            LoadResult target = comparison.found().targets().get(i);
            if (target.errorShare() > LoadResult.TOLERATED_ERROR_SHARE) {
                warnings.add("%s: %s of the answers were errors".formatted(comparison.servers().get(i), Text.percent(target.errorShare())));
            } else if (!comparison.found().method().load().startsWith("closed") && !target.sustained()) {
                warnings.add("%s: %s".formatted(comparison.servers().get(i), target.verdict()));
            }
        }
        for (int i = 1; i < comparison.servers().size(); i++) {
            if (comparison.found().isMostlyDisturbed(i)) {
                warnings.add("most rounds of %s were disturbed, so all count, and its intervals may be too narrow".formatted(comparison.servers().get(i)));
            }
        }
        if (comparison.measuredBeside() != null) {
            warnings.add("measured beside " + comparison.measuredBeside());
        }
        return warnings;
    }
}
