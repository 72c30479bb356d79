// SPDX-License-Identifier: Apache-2.0
package lsmlab.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** A page with a bar for each ratio of a {@link Report}, on a scale where twice and half are as far from one, and its interval as a line. */
final class Page {
    private static final int NAME_WIDTH = 300;
    private static final int WIDTH = 1_100;
    private static final int ROW_HEIGHT = 22;
    private static final double LEAST = 1.0 / 8;
    private static final double MOST = 32;

    private final StringBuilder html = new StringBuilder("""
            <!DOCTYPE html>
            <html lang="en"><head><meta charset="utf-8"><title>scripts/bench</title>
            <style>
            body { font: 14px/1.4 system-ui, sans-serif; margin: 2em; }
            rect { fill: #0072b2; }
            rect.behind { fill: #d55e00; }
            line { stroke: #000; }
            line.scale { stroke: #ccc; }
            text { dominant-baseline: middle; }
            </style></head><body>
            """);

    Page(String title) {
        html.append("<h1>").append(title)
                .append("</h1>\n<p>This engine's rate over the other store's: above 1 (blue) it is ahead. Bars are medians of pairs of turns, lines their intervals of 96 %.</p>\n");
    }

    void chart(String title, List<Report.Ratio> ratios) {
        int height = (ratios.size() + 1) * ROW_HEIGHT;
        html.append("<h2>").append(title).append("</h2>\n<svg width=\"%d\" height=\"%d\" role=\"img\" aria-label=\"%s\">\n".formatted(WIDTH, height, title));
        for (double mark = LEAST; mark <= MOST; mark *= 2) {
            add("<line class=\"scale\" x1=\"%1$.1f\" x2=\"%1$.1f\" y1=\"0\" y2=\"%2$d\"/><text x=\"%1$.1f\" y=\"%3$d\" text-anchor=\"middle\">%4$s</text>", x(mark), height - ROW_HEIGHT,
                    height - ROW_HEIGHT / 2,
                    mark < 1 ? "1/%.0f".formatted(1 / mark) : "%.0f".formatted(mark));
        }
        for (int i = 0; i < ratios.size(); i++) {
            Report.Ratio ratio = ratios.get(i);
            double middle = (i + 0.5) * ROW_HEIGHT;
            add("<text x=\"0\" y=\"%.1f\">%s</text>", middle, ratio.workload());
            add("<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\"/>", ratio.median() < 1 ? "behind" : "ahead", Math.min(x(1), x(ratio.median())), middle - ROW_HEIGHT / 3.0,
                    Math.abs(x(ratio.median()) - x(1)), ROW_HEIGHT * 2 / 3);
            add("<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%3$.1f\" y2=\"%3$.1f\"/>", x(ratio.low()), x(ratio.high()), middle);
            add("<text x=\"%.1f\" y=\"%.1f\">%.2f</text>", Math.max(x(1), x(ratio.high())) + 6, middle, ratio.median());
        }
        html.append("</svg>\n");
    }

    private void add(String format, Object... values) {
        html.append(String.format(Locale.ROOT, format, values)).append('\n');
    }

    private static double x(double ratio) {
        double inside = Math.clamp(ratio, LEAST, MOST);
        return NAME_WIDTH + (WIDTH - NAME_WIDTH - 60) * Math.log(inside / LEAST) / Math.log(MOST / LEAST);
    }

    void write(Path file) throws IOException {
        Files.writeString(file, html + "</body></html>\n");
    }
}
