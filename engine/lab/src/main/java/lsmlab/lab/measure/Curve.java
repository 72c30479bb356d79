// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.measure;

import java.util.List;

/** Response times by percentile: something measured here, or something a report published. */
public interface Curve {
    /**
     * A point on wrk2's axis.
     *
     * @param inverse 1/(1-quantile), so that each further nine takes the same room; at most the number of requests
     */
    record Point(double inverse, double ms) {}

    /** Its name in charts and tables. */
    String label();

    /** Whether a report published it; if not, it was measured here, or estimated from that. */
    boolean reported();

    /** From the left to the right. The last is the maximum, at one request in all. */
    List<Point> points();

    /** Whether it was computed from what was measured. */
    default boolean estimated() {
        return false;
    }

    /** Whether the points are only a mean and a maximum, from which no curve is made. */
    default boolean summaryOnly() {
        return false;
    }
}
