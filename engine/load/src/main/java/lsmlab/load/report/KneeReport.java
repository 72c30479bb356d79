// SPDX-License-Identifier: Apache-2.0
package lsmlab.load.report;

import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import lsmlab.load.result.Knees;

/** What is printed of a search for knees. */
public final class KneeReport {
    private final PrintStream out;

    public KneeReport(PrintStream out) {
        this.out = out;
    }

    /** The service level first: a knee is nothing without it. */
    public void print(Knees knees) {
        line("Knee: the rate at which half of the undisturbed trials of %s hold", Units.micros(1e6 * knees.trialSeconds()));
        line("  p%s below %s ms, at most %s %% errors, at the end a fiftieth of the requests left, or one a connection", plain(knees.percentile()), plain(knees.boundMs()),
                plain(100 * knees.tolerated()));
        for (Knees.Knee knee : knees.knees()) {
            line("  %s: %s", knee.url(), knee.words());
            if (knee.share() != null) {
                line("    %.3f [%.3f, %.3f] of what %s answers in a closed loop", knee.share().median(), knee.share().low(), knee.share().high(), knees.yardstick());
            }
            List<String> disturbed = knee.trials().stream().map(Knees.Trial::disturbed).filter(Objects::nonNull).toList();
            line("    %d trials, %d of them disturbed%s; %.0f %% fail at any rate; width of the fall %.0f %%%s", knee.trials().size(), disturbed.size(), Reasons.inBrackets(disturbed),
                    100 * knee.lapse(), 100 * knee.spread(), knee.narrow() ? "" : "; the time was up before the interval was as narrow as asked");
        }
        line("  after %s", Units.seconds(knees.seconds(), 0));
        out.flush();
    }

    private static String plain(double number) {
        return number == Math.rint(number) ? Long.toString((long) number) : Double.toString(number);
    }

    private void line(String format, Object... values) {
        out.print(String.format(Locale.ROOT, format, values).stripTrailing() + "\n");
    }
}
