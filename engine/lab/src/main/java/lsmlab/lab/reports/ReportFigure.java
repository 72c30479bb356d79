// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.reports;

import java.util.List;
import lsmlab.lab.environment.Text;
import lsmlab.lab.measure.Curve;
import lsmlab.lab.measure.Percentiles;

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
        List<double[]> spectrum) implements Curve {

    /** Milliseconds. */
    public record LatencyMs(double mean, double stdev, double max) {}

    ReportFigure of(String report) {
        return new ReportFigure(report, line, operation, workload, blockMb, connections, threads, duration,
                requestedPerSecond, achievedPerSecond, requests, latencyMs, spectrum);
    }

    @Override
    public String label() {
        return "report %s: %s%s, %s asked, %s achieved".formatted(report, operation, blockMb == null ? "" : " " + blockMb + " MB",
                Text.rate(requestedPerSecond), Text.rate(achievedPerSecond));
    }

    @Override
    public boolean reported() {
        return true;
    }

    @Override
    public boolean summaryOnly() {
        return spectrum == null;
    }

    /** Without a spectrum the mean, at the left edge, and the maximum. */
    @Override
    public List<Point> points() {
        if (summaryOnly()) {
            return List.of(new Point(1, latencyMs.mean()), new Point(requests, latencyMs.max()));
        }
        double all = spectrum.stream().mapToDouble(row -> row[2]).max().orElse(1);
        return spectrum.stream().map(row -> new Point(Percentiles.inverse(row[1], all), row[0])).toList();
    }

    @Override
    public String toString() {
        return label();
    }
}
