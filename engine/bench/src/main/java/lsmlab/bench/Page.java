// SPDX-License-Identifier: Apache-2.0
package lsmlab.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.DoubleSummaryStatistics;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.DoubleStream;

/** A page of what a {@link Report} says: ratios, tails, and cost against size. All scales are logarithmic: twice and half are as far from one. */
final class Page {
    private static final int NAME_WIDTH = 320;
    private static final int WIDTH = 1_100;
    private static final int RIGHT_WIDTH = 90; // for the number behind the longest bar
    private static final int ROW_HEIGHT = 22;

    private final StringBuilder html = new StringBuilder("""
            <!DOCTYPE html>
            <html lang="en"><head><meta charset="utf-8"><title>scripts/bench</title>
            <style>
            body { font: 14px/1.4 system-ui, sans-serif; margin: 2em; }
            rect, circle { fill: #0072b2; }
            .behind { fill: #d55e00; }
            line { stroke: #000; }
            line.scale { stroke: #ccc; }
            text { dominant-baseline: middle; }
            </style></head><body>
            """);

    /** Where a value is on a chart's scale. */
    private record Scale(double least, double most, double step) {
        /** For some values, in steps of ten. */
        static Scale around(DoubleStream values) {
            DoubleSummaryStatistics all = values.summaryStatistics();
            return new Scale(Math.pow(10, Math.floor(Math.log10(all.getMin()))), Math.pow(10, Math.ceil(Math.log10(all.getMax()))), 10);
        }

        double x(double value) {
            return NAME_WIDTH + (WIDTH - NAME_WIDTH - RIGHT_WIDTH) * Math.log(Math.clamp(value, least, most) / least) / Math.log(most / least);
        }
    }

    private static final Scale RATIOS = new Scale(1.0 / 8, 32, 2);

    Page(String title) {
        html.append("<h1>").append(title).append("</h1>\n");
    }

    void ratios(String title, List<Report.Ratio> ratios) {
        String explanation = "This engine's rate over the other store's: above 1 (blue) it is ahead. Bars are medians of pairs of turns, lines their intervals of 96 %.";
        chart(title, explanation, RATIOS, ratios, Report.Ratio::workload, (ratio, middle) -> {
            double end = RATIOS.x(ratio.median());
            add("<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\"/>", ratio.median() < 1 ? "behind" : "ahead", Math.min(RATIOS.x(1), end), middle - ROW_HEIGHT / 3.0,
                    Math.abs(end - RATIOS.x(1)), ROW_HEIGHT * 2 / 3);
            line(middle, RATIOS.x(ratio.low()), RATIOS.x(ratio.high()));
            number(Math.max(RATIOS.x(1), RATIOS.x(ratio.high())), middle, "%.2f", ratio.median());
        });
    }

    void tails(String title, List<Report.Tail> tails) {
        if (tails.isEmpty()) {
            return;
        }
        Scale scale = Scale.around(tails.stream().flatMapToDouble(tail -> DoubleStream.of(tail.p50Micros(), tail.p999Micros())));
        String explanation = "What a call took, in microseconds: from the median to the 99.9th percentile, with a dot at the 99th; medians of the turns.";
        chart(title, explanation, scale, tails, tail -> "%s: %s".formatted(tail.workload(), tail.store()), (tail, middle) -> {
            line(middle, scale.x(tail.p50Micros()), scale.x(tail.p999Micros()));
            dot(tail.isOurs() ? "ahead" : "behind", scale.x(tail.p99Micros()), middle);
            number(scale.x(tail.p999Micros()), middle, tail.p99Micros() < 100 ? "%.1f" : "%,.0f", tail.p99Micros());
        });
    }

    void costs(String title, List<Report.Cost> costs) {
        if (costs.isEmpty()) {
            return;
        }
        Scale scale = Scale.around(costs.stream().mapToDouble(Report.Cost::micros));
        chart(title, "Microseconds a record of this engine alone, as the data grow.", scale, costs, Report.Cost::workload, (cost, middle) -> {
            dot("ahead", scale.x(cost.micros()), middle);
            number(scale.x(cost.micros()), middle, "%.2f", cost.micros());
        });
    }

    /** Draws one row. */
    private interface Drawing<T> {
        void draw(T row, double middle);
    }

    private <T> void chart(String title, String explanation, Scale scale, List<T> rows, Function<T, String> name, Drawing<T> drawing) {
        begin(title, explanation, rows.size(), scale);
        for (int i = 0; i < rows.size(); i++) {
            double middle = (i + 0.5) * ROW_HEIGHT;
            add("<text x=\"0\" y=\"%.1f\">%s</text>", middle, name.apply(rows.get(i)));
            drawing.draw(rows.get(i), middle);
        }
        html.append("</svg>\n");
    }

    private void begin(String title, String explanation, int rows, Scale scale) {
        int height = (rows + 1) * ROW_HEIGHT;
        html.append("<h2>").append(title).append("</h2>\n<p>").append(explanation).append("</p>\n<svg width=\"%d\" height=\"%d\" role=\"img\" aria-label=\"%s\">\n".formatted(WIDTH, height, title));
        for (double mark = scale.least; mark <= scale.most * 1.001; mark *= scale.step) {
            add("<line class=\"scale\" x1=\"%1$.1f\" x2=\"%1$.1f\" y1=\"0\" y2=\"%2$d\"/><text x=\"%1$.1f\" y=\"%3$d\" text-anchor=\"middle\">%4$s</text>", scale.x(mark), height - ROW_HEIGHT,
                    height - ROW_HEIGHT / 2, mark < 1 ? "1/%.0f".formatted(1 / mark) : "%.0f".formatted(mark));
        }
    }

    private void line(double y, double from, double to) {
        add("<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%3$.1f\" y2=\"%3$.1f\"/>", from, to, y);
    }

    private void dot(String side, double x, double y) {
        add("<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"5\"/>", side, x, y);
    }

    private void number(double behind, double y, String format, double value) {
        add("<text x=\"%.1f\" y=\"%.1f\">" + format + "</text>", behind + 10, y, value);
    }

    private void add(String format, Object... values) {
        html.append(String.format(Locale.ROOT, format, values)).append('\n');
    }

    void write(Path file) throws IOException {
        Files.writeString(file, html + "</body></html>\n");
    }
}
