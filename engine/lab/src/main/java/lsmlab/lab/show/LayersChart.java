// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.show;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import lsmlab.lab.notebook.Chart;
import lsmlab.lab.profile.Layers;
import lsmlab.lab.profile.Profile;

/** A bar for each profile, divided by layers. */
final class LayersChart {
    private LayersChart() {}

    static Chart of(String event, Profile... profiles) {
        List<Map<String, Double>> shares = Stream.of(profiles).map(profile -> profile.shares(event)).toList();
        List<Map<String, Object>> traces = new ArrayList<>();
        shares.stream().flatMap(byLayer -> byLayer.keySet().stream()).distinct().sorted(Comparator.comparing(Layers::number)).forEach(layer -> {
            List<Double> percents = shares.stream().map(byLayer -> 100 * byLayer.getOrDefault(layer, 0.0)).toList();
            traces.add(new LinkedHashMap<>(Map.of("type", "bar", "orientation", "h", "name", layer, "x", percents,
                    "y", Stream.of(profiles).map(Profile::label).toList(), "marker", Map.of("color", Hue.ofLayer(layer).color()),
                    "hovertemplate", "%{x:.1f} %")));
        });
        String note = profiles.length == 0 ? "no full run is stored yet" : profiles[0].note();
        Map<String, Object> layout = Charts.layout("%s by layer".formatted(event), note, List.of(), Charts.axis("share, %", "linear"), Charts.axis("", "category"));
        layout.put("barmode", "stack");
        return new Chart(event + " by layer", traces, layout, Math.max(Chart.AXES_PIXELS, 50 * profiles.length));
    }
}
