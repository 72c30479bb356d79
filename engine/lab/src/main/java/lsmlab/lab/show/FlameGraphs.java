// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.show;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import lsmlab.lab.environment.Given;
import lsmlab.lab.notebook.FlameGraph;
import lsmlab.lab.profile.Profile;
import lsmlab.lab.profile.Samples;
import one.convert.Arguments;

/** The lab's flame graphs, drawn by async-profiler's converter. */
public final class FlameGraphs {
    /** Narrower frames would be less than a pixel wide. */
    private static final String NARROWEST_PERCENT = "0.15";

    private FlameGraphs() {}

    /** An interactive graph of "cpu", "wall", "alloc" or "lock"; of an event that was never seen it says so. */
    public static FlameGraph of(Profile profile, String event) {
        Given.some("FlameGraphs.of", "a profile", profile);
        String title = event + ", " + profile.label();
        if (profile.total(event) == 0) {
            return FlameGraph.empty(title, "%s: nothing was recorded%s.".formatted(title, switch (event) {
                case "lock" -> ": no thread waited for a lock for 10 µs or more";
                case "alloc" -> ": less than 16 kB was allocated on the heap";
                default -> "";
            }));
        }
        Arguments arguments = new Arguments("--" + event, "--total", "--minwidth", NARROWEST_PERCENT, "--title", title);
        return page(title, flames(arguments, profile.samples(event), profile.total(event)));
    }

    /** What {@code after} spends more (red) and less (blue) than {@code before}, each frame by its share of the whole. */
    public static FlameGraph diff(Profile before, Profile after, String event) {
        Given.some("FlameGraphs.diff", "two profiles", before, after);
        String title = "%s, from %s to %s".formatted(event, before.label(), after.label());
        Arguments arguments = new Arguments("--diff", "--norm", "--minwidth", NARROWEST_PERCENT, "--title", title);
        double total = after.total(event);
        one.convert.FlameGraph flames = flames(arguments, after.samples(event), total);
        flames.diff(flames(arguments, before.samples(event), total));
        return page(title, flames);
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

    private static FlameGraph page(String title, one.convert.FlameGraph flames) {
        try (ByteArrayOutputStream page = new ByteArrayOutputStream()) {
            flames.dump(page);
            return FlameGraph.of(title, page.toString(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
