// SPDX-License-Identifier: Apache-2.0
package lsmlab.load.report;

import java.io.PrintStream;
import java.util.Locale;
import lsmlab.load.count.RateSamples;
import lsmlab.load.count.Samples;
import lsmlab.load.result.LoadResult;

/** wrk2's text, to the byte. */
public final class TextReport {
    private static final double[] PERCENTILES = {50, 75, 90, 99, 99.9, 99.99, 99.999, 100};
    private static final String RULE = "-".repeat(58);

    private final PrintStream out;

    public TextReport(PrintStream out) {
        this.out = out;
    }

    public void start(long durationSeconds, String url, int threads, int connections) {
        line("Running %s test @ %s", Units.seconds(durationSeconds, 0), url);
        line("  %d threads and %d connections", threads, connections);
        out.flush();
    }

    public synchronized void calibrated(double meanMicros, long intervalMillis) {
        line("  Thread calibration: mean lat.: %sms, rate sampling interval: %dms", Units.fixed(meanMicros / 1000, 3), intervalMillis);
        out.flush();
    }

    public void summary(Samples latency, RateSamples rates) {
        line("  Thread Stats%6s%11s%8s%12s", "Avg", "Stdev", "Max", "+/- Stdev");
        row("Latency", micros(latency.mean()), micros(latency.stdev()), Units.micros(latency.max()), latency.withinOneStdev());
        row("Req/Sec", Units.count(rates.mean()), Units.count(rates.stdev()), Units.count(rates.max()), rates.withinOneStdev());
    }

    private static String micros(double micros) {
        return Double.isNaN(micros) ? "-nanus" : Units.micros(micros);
    }

    private void row(String name, String mean, String stdev, String max, double within) {
        line("    %-10s%s%s%s%8s%%", name, Units.cell(mean, 8), Units.cell(stdev, 10), Units.cell(max, 9), Units.fixed(within, 2));
    }

    public void distribution(String title, Samples latency) {
        line("  Latency Distribution (HdrHistogram - %s)", title);
        for (double percentile : PERCENTILES) {
            line("%7s%%%s", Units.fixed(percentile, 3), Units.cell(Units.micros(latency.percentile(percentile)), 10));
        }
        line("");
        line("  Detailed Percentile spectrum:");
        line("%12s %12s %12s %12s", "Value", "Percentile", "TotalCount", "1/(1-Percentile)");
        line("");
        for (LoadResult.Point point : latency.spectrum()) {
            line("%12s %12s %12d %12s", Units.fixed(point.ms(), 3), Units.fixed(point.quantile(), 6), point.count(),
                    point.quantile() == 1 ? "inf" : Units.fixed(1 / (1 - point.quantile()), 2));
        }
        line("#[Mean    = %12s, StdDeviation   = %12s]", Units.fixed(latency.mean() / 1000, 3), Units.fixed(latency.stdev() / 1000, 3));
        line("#[Max     = %12s, Total count    = %12d]", Units.fixed(latency.max() / 1000.0, 3), latency.count());
        line("#[Buckets = %12d, SubBuckets     = %12d]", 27, 2048);
        line(RULE);
    }

    public void blankLine() {
        line("");
    }

    public void totals(long requests, double runtimeMicros, long bytes, LoadResult.Errors errors) {
        double seconds = runtimeMicros / 1e6;
        line("  %d requests in %s, %sB read", requests, Units.micros(runtimeMicros), Units.binary(bytes));
        if (errors.connect() + errors.read() + errors.write() + errors.timeout() > 0) {
            line("  Socket errors: connect %d, read %d, write %d, timeout %d", errors.connect(), errors.read(), errors.write(), errors.timeout());
        }
        if (errors.status() > 0) {
            line("  Non-2xx or 3xx responses: %d", errors.status());
        }
        line("Requests/sec: %9s", Units.fixed(requests / seconds, 2));
        line("Transfer/sec: %10sB", Units.binary(bytes / seconds));
        out.flush();
    }

    private void line(String format, Object... values) {
        out.print(String.format(Locale.ROOT, format, values));
        out.print('\n');
    }
}
