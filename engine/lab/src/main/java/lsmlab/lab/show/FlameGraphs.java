// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.show;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import lsmlab.lab.environment.Text;
import lsmlab.lab.notebook.FlameGraph;
import lsmlab.lab.profile.Layers;
import lsmlab.lab.profile.Profile;
import lsmlab.lab.profile.Samples;
import one.convert.Arguments;

/** The lab's flame graphs, drawn by async-profiler's converter. */
final class FlameGraphs {
    /** Narrower frames would be less than a pixel wide. */
    private static final String NARROWEST_PERCENT = "0.15";
    private static final String COLOUR = "maxdiff >= 0 ? getDiffColor(d) : getColor(palette[key & 7])";
    private static final String SCRIPT = "\tfunction getColor(p) {";
    private static final String CANVAS = "<canvas id='canvas'></canvas>";
    /** Text on frames is black. */
    private static final double TINT = 0.35;
    /** Layers that keep what they call: a merge reads and writes tables, and is a merge all the time. */
    private static final List<String> WHOLE = List.of("JIT compiler", "garbage collector", "JVM's own thread", "flush", "compaction");
    /** A frame has the colour of its layer; one that belongs to none, or is called by one that keeps it, that of the frame it was called from. */
    private static final String LAYER_COLOUR = """
                const layers = [%s];
                const whole = [%s];
                function layerColour(title, level) {
                    const caller = level && levels[level - 1].length ? levels[level - 1].at(-1).color : '%s';
                    const layer = whole.includes(caller) ? null : layers.find(one => one[0].test(title));
                    return layer ? layer[1] : caller;
                }

            """;
    private static final String DIFFERENCE_LEGEND =
            legend(new TreeMap<>(Map.of("rgb(255,150,150)", "more than before", "rgb(150,150,255)", "less", "#ffdd33", "not there before", "#e0e0e0", "the same")));

    private FlameGraphs() {}

    static FlameGraph of(Profile profile, String event) {
        String title = event + ", " + profile.label();
        if (profile.total(event) == 0) {
            return FlameGraph.empty(title, "%s: nothing was recorded%s.".formatted(title, switch (event) {
                case "lock" -> ": no thread waited for a lock for 10 µs or more";
                case "alloc" -> ": less than 16 kB was allocated on the heap";
                default -> "";
            }));
        }
        Arguments arguments = new Arguments("--" + event, "--total", "--minwidth", NARROWEST_PERCENT, "--title", title);
        return page(title, flames(arguments, profile.samples(event), profile.total(event)), layersLegend());
    }

    static FlameGraph difference(Profile before, Profile after, String event) {
        String title = "%s, from %s to %s".formatted(event, before.label(), after.label());
        Arguments arguments = new Arguments("--diff", "--norm", "--minwidth", NARROWEST_PERCENT, "--title", title);
        double total = after.total(event);
        one.convert.FlameGraph flames = flames(arguments, after.samples(event), total);
        flames.diff(flames(arguments, before.samples(event), total));
        return page(title, flames, DIFFERENCE_LEGEND);
    }

    /** @param total what the stacks are to weigh together */
    private static one.convert.FlameGraph flames(Arguments arguments, Samples samples, double total) {
        try {
            one.convert.FlameGraph flames = new one.convert.FlameGraph(arguments);
            flames.parseCollapsed(new StringReader(samples.collapsed(total)));
            return flames;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static FlameGraph page(String title, one.convert.FlameGraph flames, String legend) {
        try (ByteArrayOutputStream page = new ByteArrayOutputStream()) {
            flames.dump(page);
            return FlameGraph.of(title, coloured(page.toString(StandardCharsets.UTF_8), legend));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The converter's page with the lab's colours and a legend. */
    private static String coloured(String page, String legend) {
        if (!page.contains(COLOUR) || !page.contains(SCRIPT) || !page.contains(CANVAS)) {
            throw new IllegalStateException("the converter's page has changed: what is replaced in it is not there");
        }
        String patterns = Layers.all().entrySet().stream().map(layer -> "[/%s/, '%s']".formatted(layer.getValue().pattern().replace("/", "\\/"), frameColour(layer.getKey())))
                .collect(Collectors.joining(", "));
        String whole = WHOLE.stream().map(layer -> "'%s'".formatted(frameColour(layer))).collect(Collectors.joining(", "));
        return page.replace(COLOUR, "maxdiff >= 0 ? getDiffColor(d) : layerColour(cpool[key >>> 3], level)")
                .replace(SCRIPT, LAYER_COLOUR.formatted(patterns, whole, frameColour("other")) + SCRIPT).replace(CANVAS, legend + CANVAS);
    }

    private static String frameColour(String layer) {
        return Hue.ofLayer(layer).lighter(TINT).color();
    }

    private static String layersLegend() {
        Map<String, String> names = new LinkedHashMap<>();
        Layers.all().keySet().forEach(layer -> names.put(frameColour(layer), layer));
        names.put(frameColour("other"), "other");
        return legend(names);
    }

    private static String legend(Map<String, String> names) {
        return names.entrySet().stream().map(name -> "<span style='white-space:nowrap'><span style='display:inline-block;width:10px;height:10px;margin:0 4px 0 12px;background:%s'></span>%s</span> "
                .formatted(name.getKey(), Text.html(name.getValue()))).collect(Collectors.joining("", "<div style='text-align:center;margin:2px 0 6px;font-size:11px'>", "</div>"));
    }
}
