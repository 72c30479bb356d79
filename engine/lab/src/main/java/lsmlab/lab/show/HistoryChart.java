// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.show;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import lsmlab.lab.history.History;
import lsmlab.lab.history.Operation;
import lsmlab.lab.notebook.Chart;

/** What clients did to the key of the first stale read, around it: a line a client, a bar an operation. Without a stale read it is the first key's beginning. */
final class HistoryChart {
    private static final int MOST_BARS = 60;
    private static final int BEFORE = 20;
    private static final double LEAST_SECONDS = 0.0002; // or the bar could not be seen

    private HistoryChart() {}

    static Chart of(History history) {
        List<Operation> late = history.staleReads();
        Operation stale = late.isEmpty() ? null : late.getFirst();
        List<Operation> shown = around(history, stale);
        double from = shown.stream().mapToDouble(Operation::startSeconds).min().orElse(0);
        List<Map<String, Object>> traces = new ArrayList<>();
        traces.add(bars("write", Hue.DISK, from, shown.stream().filter(it -> it.isWrite() && it.done()).toList()));
        traces.add(bars("read", Hue.WORK, from, shown.stream().filter(it -> !it.isWrite() && it.done() && !late.contains(it)).toList()));
        traces.add(bars("stale read", Hue.STALL, from, shown.stream().filter(late::contains).toList()));
        traces.add(bars("without an answer", Hue.OTHER, from, shown.stream().filter(it -> !it.done()).toList()));
        Map<String, Object> x = Charts.axis("ms after %.3f s of the history".formatted(from), "linear");
        Map<String, Object> y = new LinkedHashMap<>(Map.of("type", "category", "autorange", "reversed", "automargin", true, "categoryorder", "array"));
        y.put("categoryarray", history.clients().stream().map(HistoryChart::name).toList());
        Map<String, Object> layout = Charts.layout(stale == null ? "No read was stale: " + history.label() : "The first stale read: " + history.label(), history.words(), List.of(), x, y);
        layout.put("barmode", "overlay");
        return new Chart("operations of the clients", traces, layout);
    }

    private static List<Operation> around(History history, Operation stale) {
        int key = stale == null ? 0 : stale.key();
        List<Operation> ofKey = history.operations().stream().filter(it -> it.key() == key).toList();
        if (stale == null) {
            return ofKey.subList(0, Math.min(MOST_BARS, ofKey.size()));
        }
        int at = ofKey.indexOf(stale);
        List<Operation> near = ofKey.subList(Math.max(0, at - BEFORE), Math.min(ofKey.size(), at - BEFORE + MOST_BARS));
        return Stream.concat(near.stream(), Stream.of(history.missed(stale))).distinct().sorted(Comparator.comparingDouble(Operation::startSeconds)).toList();
    }

    private static String name(int client) {
        return "client " + client;
    }

    private static Map<String, Object> bars(String kind, Hue hue, double from, List<Operation> operations) {
        Map<String, Object> bars = new LinkedHashMap<>();
        bars.put("type", "bar");
        bars.put("orientation", "h");
        bars.put("name", kind);
        bars.put("base", operations.stream().map(it -> 1000 * (it.startSeconds() - from)).toList());
        bars.put("x", operations.stream().map(it -> 1000 * Math.max(LEAST_SECONDS, it.endSeconds() - it.startSeconds())).toList());
        bars.put("y", operations.stream().map(it -> name(it.client())).toList());
        bars.put("text", operations.stream().map(it -> it.value() == 0 ? "–" : Long.toString(it.value())).toList());
        bars.put("textposition", "inside");
        bars.put("insidetextanchor", "middle");
        bars.put("marker", Map.of("color", hue.color()));
        bars.put("hovertemplate", kind + " %{text} at %{base:.2f} ms for %{x:.2f} ms<extra></extra>");
        return bars;
    }
}
