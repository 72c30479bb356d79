// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab;

/** What {@link Charts#percentiles} can draw: something measured here, or something a report published. */
public sealed interface Curve permits Run, ReportFigure, ReportColumn {}
