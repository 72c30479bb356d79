// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.reports;

import java.util.List;
import lsmlab.lab.measure.Curve;

/** One column of a report's table of percentiles: a curve of few points. */
public record ReportColumn(String label, List<Point> points) implements Curve {
    /** Where a maximum is drawn, since the number of requests is unknown. */
    private static final double LAST_NINES = 1e6;

    /** @param percentile 0 to 100 */
    static Point point(double percentile, double ms) {
        return new Point(percentile < 100 ? 100 / (100 - percentile) : LAST_NINES, ms);
    }

    @Override
    public boolean reported() {
        return true;
    }
}
