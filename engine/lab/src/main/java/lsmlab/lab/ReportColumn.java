// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab;

import java.util.List;

/**
 * One column of a report's table of percentiles: a curve of few points.
 *
 * @param points percentile and milliseconds
 */
public record ReportColumn(String label, List<double[]> points) implements Curve {}
