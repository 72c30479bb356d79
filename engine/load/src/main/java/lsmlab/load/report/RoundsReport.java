// SPDX-License-Identifier: Apache-2.0
package lsmlab.load.report;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import lsmlab.load.result.RoundsResult;
import lsmlab.load.result.LoadResult;
import lsmlab.load.result.Ratio;
import lsmlab.load.result.Slice;

/** What is printed of several targets that were loaded in turns. */
public final class RoundsReport {
    private static final Map<String, String> MEASURES = Map.of("cpuMicrosPerRequest", "processor time a request", "throughput", "throughput", "p50Ms", "p50", "p99Ms", "p99");

    private final PrintStream out;

    public RoundsReport(PrintStream out) {
        this.out = out;
    }

    /** Cost first: it depends least on the machine. */
    public void print(RoundsResult comparison) {
        RoundsResult.Method method = comparison.method();
        line("%d rounds of %s a target, %s", method.rounds(), Units.micros(1e6 * method.sliceSeconds()), method.load());
        line("  warm-up %s%s", Units.seconds(method.warmupSeconds(), 1), method.level() ? "" : ": service times were still falling");
        line("%16s %12s %12s %12s  %s", "cpu a request", "answered/s", "p50", "p99", "");
        for (int i = 0; i < comparison.targets().size(); i++) {
            LoadResult target = comparison.targets().get(i);
            line("%16s %12.1f %12s %12s  %s", cpu(comparison.slices(), i), target.achievedPerSecond(), ms(target, 50), ms(target, 99), target.url());
        }
        for (Ratio ratio : comparison.ratios()) {
            line("  %-24s %s  %s", MEASURES.get(ratio.measure()), interval(ratio), ratio.target());
        }
        List<Slice> disturbed = comparison.slices().stream().filter(slice -> slice.disturbed() != null).toList();
        line("  %d of %d slices were disturbed%s; %.1f %% of the time was lost between slices", disturbed.size(), comparison.slices().size(),
                disturbed.isEmpty() ? "" : " (" + reasons(disturbed) + ")", 100 * method.lostShare());
        out.flush();
    }

    private static String cpu(List<Slice> slices, int target) {
        double[] micros = slices.stream().filter(slice -> slice.turn().target() == target).mapToDouble(Slice::cpuMicrosPerRequest).filter(Double::isFinite).sorted().toArray();
        return micros.length == 0 ? "-" : Units.micros(micros[micros.length / 2]);
    }

    private static String ms(LoadResult target, double percentile) {
        return target.requests() == 0 ? "-" : Units.micros(1_000 * target.response().percentileMs(percentile));
    }

    private static String interval(Ratio ratio) {
        if (ratio.median() == null) {
            return "unknown";
        }
        return ratio.low() == null ? String.format(Locale.ROOT, "%.3f", ratio.median())
                : String.format(Locale.ROOT, "%.3f [%.3f, %.3f]", ratio.median(), ratio.low(), ratio.high());
    }

    /** The first of each kind. */
    private static String reasons(List<Slice> disturbed) {
        List<String> reasons = new ArrayList<>();
        for (Slice slice : disturbed) {
            String kind = slice.disturbed().replaceAll("\\d.*", "");
            if (reasons.stream().noneMatch(reason -> reason.startsWith(kind))) {
                reasons.add(slice.disturbed());
            }
        }
        return reasons.stream().collect(Collectors.joining("; "));
    }

    private void line(String format, Object... values) {
        out.print(String.format(Locale.ROOT, format, values).stripTrailing() + "\n");
    }
}
