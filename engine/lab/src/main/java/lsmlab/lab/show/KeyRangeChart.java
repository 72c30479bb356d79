// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.show;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import lsmlab.lab.notebook.Chart;
import lsmlab.storage.stats.KeyRange;

/** Which part of the key space each table covers. */
final class KeyRangeChart {
    private KeyRangeChart() {}

    /** A bar a table, newest on top, from its first key to its last; keys stand in order, not to scale. */
    static Chart of(List<KeyRange> tables) {
        List<String> keys = tables.stream().flatMap(t -> Stream.of(text(t.firstKey()), text(t.lastKey()))).distinct().sorted().toList();
        List<Map<String, Object>> traces = new ArrayList<>();
        for (KeyRange table : tables) {
            int first = keys.indexOf(text(table.firstKey()));
            int last = keys.indexOf(text(table.lastKey()));
            traces.add(new LinkedHashMap<>(Map.of("type", "bar", "orientation", "h", "name", "level " + table.level(), "base", List.of(first),
                    "x", List.of(Math.max(last - first, 0.05)), "y", List.of("table " + table.table()), "marker", Map.of("color", Charts.color(table.level())),
                    "hovertemplate", "%s to %s<extra></extra>".formatted(text(table.firstKey()), text(table.lastKey())))));
        }
        Map<String, Object> x = Charts.axis("key", "linear");
        x.put("tickvals", IntStream.range(0, keys.size()).boxed().toList());
        x.put("ticktext", keys);
        Map<String, Object> y = Charts.axis("", "category");
        y.put("autorange", "reversed");
        Map<String, Object> layout = Charts.layout("Key ranges of the tables, newest on top", "a small store inside this notebook", List.of(), x, y);
        layout.put("barmode", "overlay");
        layout.put("showlegend", false);
        return new Chart("key ranges", traces, layout, Math.max(Chart.AXES_PIXELS, 22 * tables.size()));
    }

    private static String text(MemorySegment key) {
        return new String(key.toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8);
    }
}
