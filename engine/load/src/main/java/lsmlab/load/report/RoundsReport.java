// SPDX-License-Identifier: Apache-2.0
package lsmlab.load.report;

import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import lsmlab.load.result.RoundsResult;
import lsmlab.load.result.LoadResult;
import lsmlab.load.result.Ratio;
import lsmlab.load.result.Slice;

/** What is printed of several targets that were loaded in turns. */
public final class RoundsReport {
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
            line("%16s %12.1f %12s %12s  %s", micros(comparison.median(i, "cpuMicrosPerRequest")), comparison.median(i, "throughput"), micros(1_000 * comparison.median(i, "p50Ms")),
                    micros(1_000 * comparison.median(i, "p99Ms")), comparison.targets().get(i).url());
        }
        for (LoadResult target : comparison.targets()) {
            if (target.errorShare() > LoadResult.TOLERATED_ERROR_SHARE) {
                line("  %.1f %% of the answers of %s were errors: no ratio means anything", 100 * target.errorShare(), target.url());
            }
        }
        for (Ratio ratio : comparison.ratios()) {
            line("  %-24s %s  %s", Ratio.words(ratio.measure()), interval(ratio), ratio.target());
        }
        for (int i = 1; i < comparison.targets().size(); i++) {
            if (comparison.isMostlyDisturbed(i)) {
                line("  most rounds of %s were disturbed, so all count, and its intervals may be too narrow", comparison.targets().get(i).url());
            }
        }
        List<String> disturbed = comparison.slices().stream().map(Slice::disturbed).filter(Objects::nonNull).toList();
        line("  %d of %d slices were disturbed%s; %.1f %% of the time was lost between slices", disturbed.size(), comparison.slices().size(),
                Reasons.inBrackets(disturbed), 100 * method.lostShare());
        out.flush();
    }

    private static String micros(double micros) {
        return Double.isNaN(micros) ? "-" : Units.micros(micros);
    }

    private static String interval(Ratio ratio) {
        if (ratio.median() == null) {
            return "unknown";
        }
        String median = String.format(Locale.ROOT, "%.3f", ratio.median());
        return ratio.low() == null ? median
                : median + String.format(Locale.ROOT, ratio.high() == null ? " [%.3f, no end]" : " [%.3f, %.3f]", ratio.low(), ratio.high());
    }

    private void line(String format, Object... values) {
        out.print(String.format(Locale.ROOT, format, values).stripTrailing() + "\n");
    }
}
