// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.show;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.DoubleUnaryOperator;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import lsmlab.lab.environment.Text;
import lsmlab.lab.measure.Knee;
import lsmlab.lab.notebook.Chart;
import lsmlab.load.result.Knees;

/**
 * Searches for knees: each trial at its rate and its percentile of the response time, filled if it was held, grey if something disturbed it; and below, the probability that a
 * trial of that rate holds, with its band. Rates are those of a machine as fast as it was at the median: each trial's share of the yardstick counts.
 */
final class KneeChart {
    private static final int POINTS = 80;
    private static final int AXES_PIXELS = 540; // trials and curves together
    private static final String DISTURBED = "#999999";
    /** Largest over smallest rate from which on only powers of ten have a label; else 1, 2, 5, 10, ... */
    private static final double WIDE = 30;
    private static final double MARGIN = 1.1;
    /** Of the height: the curves below, the trials above. */
    private static final List<Double> CURVES = List.of(0.0, 0.32);
    private static final List<Double> TRIALS = List.of(0.4, 1.0);

    private KneeChart() {}

    static Chart of(Knee... knees) {
        double[] rates = Stream.of(knees).flatMap(knee -> knee.found().trials().stream().map(trial -> knee.rateOf(trial))).mapToDouble(Double::doubleValue).sorted().toArray();
        List<Map<String, Object>> traces = new ArrayList<>();
        for (int i = 0; i < knees.length; i++) {
            traces.add(trials(knees[i], knees[i].label(), Charts.color(i), trial -> trial.disturbed() == null));
            if (knees[i].found().perSecond() != null) {
                traces.add(band(knees[i], Charts.color(i), rates));
                traces.add(curve(knees[i], Charts.color(i), rates));
            }
        }
        List<Map<String, Object>> disturbed = Stream.of(knees).map(knee -> trials(knee, "disturbed", DISTURBED, trial -> trial.disturbed() != null))
                .filter(trace -> !((List<?>) trace.get("x")).isEmpty()).toList();
        disturbed.stream().skip(1).forEach(trace -> trace.put("showlegend", false));
        traces.addAll(disturbed);
        Map<String, Object> rateAxis = Charts.axis("requests a second", "log");
        rateAxis.put("tickformat", "~s");
        // Plotly would write a label at 2, 3, 4, ... of several powers of ten, over one another.
        rateAxis.put("dtick", rates.length > 0 && rates[rates.length - 1] > WIDE * rates[0] ? 1 : "D2");
        rateAxis.put("anchor", "y2");
        Map<String, Object> timeAxis = Charts.axis("p%s, ms".formatted(Text.plain(knees[0].search().percentile())), "log");
        timeAxis.put("domain", TRIALS);
        Map<String, Object> layout =
                Charts.layout("Trials, held (filled) or not, and the knees fitted to them", "held: %s; %s".formatted(levels(knees), note(knees)), warnings(knees), rateAxis, timeAxis);
        Map<String, Object> shareAxis = Charts.axis("P(held)", "linear");
        shareAxis.put("domain", CURVES);
        shareAxis.put("tickvals", List.of(0, 0.5, 1));
        shareAxis.put("range", List.of(-0.05, 1.05));
        layout.put("yaxis2", shareAxis);
        layout.put("shapes", Stream.of(knees).map(knee -> knee.search().boundMs()).distinct().map(KneeChart::bound).toList());
        return new Chart("knees", traces, layout, AXES_PIXELS);
    }

    private static Map<String, Object> bound(double ms) {
        return Map.of("type", "line", "xref", "paper", "x0", 0, "x1", 1, "yref", "y", "y0", ms, "y1", ms, "line", Map.of("color", DISTURBED, "dash", "dot"));
    }

    private static Map<String, Object> trials(Knee knee, String name, String color, Predicate<Knees.Trial> which) {
        List<Knees.Trial> answered = knee.found().trials().stream().filter(which).filter(trial -> trial.percentileMs() != null).toList();
        Map<String, Object> trace = Charts.trace(name, color, "solid", answered.stream().<Object>map(trial -> knee.rateOf(trial)).toList(),
                answered.stream().<Object>map(Knees.Trial::percentileMs).toList());
        trace.put("mode", "markers");
        trace.put("marker", Map.of("color", color, "size", 9, "symbol", answered.stream().map(trial -> trial.held() ? "circle" : "circle-open").toList(),
                "line", Map.of("width", 2, "color", color)));
        trace.put("text",
                answered.stream()
                        .map(trial -> (trial.held() ? "held" : "not held, %s left at the end".formatted(Text.percent(trial.leftShare()))) + (trial.disturbed() == null ? "" : ": " + trial.disturbed()))
                        .toList());
        trace.put("hovertemplate", "%{x:,.0f}/s: %{y:.3~f} ms, %{text}");
        return trace;
    }

    /** Between the curves of the interval's ends: there and back again. */
    private static Map<String, Object> band(Knee knee, String color, double[] rates) {
        List<Double> x = points(rates);
        List<Double> back = new ArrayList<>(x);
        Collections.reverse(back);
        List<Object> y = new ArrayList<>(x.stream().map(held(knee, knee.perSecond().low())::applyAsDouble).toList());
        y.addAll(back.stream().map(held(knee, knee.perSecond().high())::applyAsDouble).toList());
        Map<String, Object> trace = Charts.trace(knee.label() + ", 95 %", color, "solid", Stream.concat(x.stream(), back.stream()).<Object>map(rate -> rate).toList(), y);
        trace.put("line", Map.of("width", 0));
        trace.put("fill", "toself");
        trace.put("fillcolor", color + "40");
        return below(trace);
    }

    private static Map<String, Object> curve(Knee knee, String color, double[] rates) {
        List<Double> x = points(rates);
        Map<String, Object> trace = Charts.trace(knee.label() + ", fitted", color, "solid", x.stream().<Object>map(rate -> rate).toList(),
                x.stream().<Object>map(held(knee, knee.perSecond().median())::applyAsDouble).toList());
        trace.put("hovertemplate", "%{x:,.0f}/s: %{y:.2f}");
        return below(trace);
    }

    private static Map<String, Object> below(Map<String, Object> trace) {
        trace.put("yaxis", "y2");
        trace.put("showlegend", false);
        return trace;
    }

    private static DoubleUnaryOperator held(Knee knee, double at) {
        return rate -> (1 - knee.found().lapse()) / (1 + Math.exp(Math.log(rate / at) / knee.found().spread()));
    }

    private static List<Double> points(double[] rates) {
        double least = rates[0] / MARGIN;
        double all = Math.log(rates[rates.length - 1] * MARGIN / least);
        return IntStream.range(0, POINTS).mapToObj(i -> least * Math.exp(all * i / (POINTS - 1))).toList();
    }

    /** The service levels, which are mostly one. */
    static String levels(Knee... knees) {
        return Stream.of(knees).map(Knee::level).distinct().collect(Collectors.joining(" or "));
    }

    /** How they were searched. */
    static String note(Knee... knees) {
        return Stream.of(knees).map(knee -> "trials of %s, %s mode, %s".formatted(Text.ms(1_000 * knee.search().trialSeconds()), knee.mode(), knee.machine())).distinct()
                .collect(Collectors.joining(" and "));
    }

    private static List<String> warnings(Knee... knees) {
        Stream<String> none = Stream.of(knees).filter(knee -> knee.found().perSecond() == null).map(knee -> knee.label() + ": " + knee.found().words());
        Stream<String> beside = Stream.of(knees).map(Knee::measuredBeside).filter(Objects::nonNull).map(other -> "measured beside " + other);
        return Stream.concat(none, beside).distinct().toList();
    }
}
