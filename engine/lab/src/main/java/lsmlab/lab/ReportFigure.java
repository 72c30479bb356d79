// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab;

import java.util.List;

/**
 * One wrk2 output of a report. Reports 000 and 003 published percentile curves; 001 and 002 only mean, deviation and maximum, from
 * which no curve is made.
 *
 * @param spectrum value in ms, quantile, count; null where the report has none
 */
public record ReportFigure(
        String report,
        int line,
        String operation,
        String workload,
        Integer blockMb,
        int connections,
        int threads,
        String duration,
        double requestedPerSecond,
        double achievedPerSecond,
        long requests,
        LatencyMs latencyMs,
        List<double[]> spectrum) implements Curve, ShownAsTable {

    /** Milliseconds. */
    public record LatencyMs(double mean, double stdev, double max) {}

    ReportFigure of(String report) {
        return new ReportFigure(report, line, operation, workload, blockMb, connections, threads, duration,
                requestedPerSecond, achievedPerSecond, requests, latencyMs, spectrum);
    }

    String label() {
        return "report %s: %s%s, %s asked, %s achieved".formatted(report, operation, blockMb == null ? "" : " " + blockMb + " MB",
                Text.rate(requestedPerSecond), Text.rate(achievedPerSecond));
    }

    @Override
    public Table table() {
        return new Table("Report %s, line %d".formatted(report, line), "operation", "workload", "load", "asked", "achieved", "mean", "max")
                .row(cells());
    }

    /** Operation, workload, load, rates asked for and achieved, mean and maximum, as tables show them. */
    String[] cells() {
        return new String[] {operation, workload, "-c%d -t%d -d%s".formatted(connections, threads, duration), Text.rate(requestedPerSecond),
            Text.rate(achievedPerSecond), Text.ms(latencyMs.mean()), Text.ms(latencyMs.max())};
    }

    @Override
    public String toString() {
        return table().toString();
    }
}
