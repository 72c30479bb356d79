// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.notebook;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import lsmlab.lab.environment.Text;

/** Rows under a head, as HTML in a notebook and as aligned text on a terminal. */
public final class Table implements Shown {
    private final String caption;
    private final List<String> head;
    private final List<List<String>> rows = new ArrayList<>();

    public Table(String caption, String... head) {
        this.caption = caption;
        this.head = List.of(head);
    }

    /** Adds a row below the others. */
    public Table row(String... cells) {
        if (cells.length != head.size()) {
            throw new IllegalArgumentException("%d cells under %d columns".formatted(cells.length, head.size()));
        }
        rows.add(List.of(cells));
        return this;
    }

    @Override
    public Map<String, Object> content() {
        StringBuilder html = new StringBuilder("<p>").append(Text.html(caption))
                .append("</p><table class=\"lsmlab-table\"><thead><tr>");
        head.forEach(cell -> html.append("<th>").append(Text.html(cell)).append("</th>"));
        html.append("</tr></thead><tbody>");
        for (List<String> row : rows) {
            html.append("<tr>");
            // Notebooks set cells to the right, which is for numbers.
            row.forEach(cell -> html.append(cell.matches("[-–\\d].*|") ? "<td>" : "<td style=\"text-align:left\">").append(Text.html(cell)).append("</td>"));
            html.append("</tr>");
        }
        return Map.of(HTML, html.append("</tbody></table>").toString());
    }

    @Override
    public String toString() {
        List<List<String>> lines = new ArrayList<>();
        lines.add(head);
        lines.addAll(rows);
        StringBuilder text = new StringBuilder(caption);
        for (List<String> line : lines) {
            text.append('\n');
            for (int column = 0; column < head.size(); column++) {
                int c = column;
                int width = lines.stream().mapToInt(l -> l.get(c).length()).max().orElse(0);
                text.append(line.get(column)).append(" ".repeat(width - line.get(column).length() + 2));
            }
        }
        return text.toString();
    }
}
