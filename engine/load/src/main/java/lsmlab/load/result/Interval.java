// SPDX-License-Identifier: Apache-2.0
package lsmlab.load.result;

import java.math.BigDecimal;
import java.math.MathContext;
import lsmlab.load.estimate.Estimate;

/** A value with its 95 % interval. */
public record Interval(double median, double low, double high) {
    private static final double DEVIATIONS = Estimate.normalDeviations();
    private static final double WILSON = DEVIATIONS * DEVIATIONS;
    private static final MathContext THREE_DIGITS = new MathContext(3);
    /** Nothing is known of it. */
    public static final Interval UNKNOWN = new Interval(Double.NaN, 0, Double.POSITIVE_INFINITY);

    /** A value that is known, like a counter. */
    public static Interval exactly(double value) {
        return new Interval(value, value, value);
    }

    /** A share of so many that were seen, with the interval of Wilson (1927), which is one of few cases, too. */
    public static Interval ofShare(int some, int all) {
        double share = (double) some / all;
        double centre = (some + WILSON / 2) / (all + WILSON);
        double half = Math.sqrt(WILSON * (share * (1 - share) * all + WILSON / 4)) / (all + WILSON);
        return new Interval(share, Math.max(0, centre - half), Math.min(1, centre + half));
    }

    /** Of a factor about 1 whose logarithm has this standard deviation. */
    public static Interval ofDeviation(double logarithms) {
        return new Interval(1, Math.exp(-DEVIATIONS * logarithms), Math.exp(DEVIATIONS * logarithms));
    }

    /** Whether it has no width; a value that is not known has none, either. */
    public boolean hasNoWidth() {
        return low == high || Double.isNaN(low);
    }

    public Interval times(double factor) {
        return new Interval(median * factor, low * factor, high * factor);
    }

    /** By another one, both positive: the lengths of independent intervals, in logarithms, add like the sides of a right triangle. */
    public Interval times(Interval other) {
        double product = median * other.median;
        double below = Math.hypot(Math.log(median / low), Math.log(other.median / other.low));
        double above = Math.hypot(Math.log(high / median), Math.log(other.high / other.median));
        return Double.isNaN(product) ? UNKNOWN : new Interval(product, product * Math.exp(-below), product * Math.exp(above));
    }

    /** This over another one, as above. */
    public Interval over(Interval other) {
        return times(new Interval(1 / other.median, 1 / other.high, 1 / other.low));
    }

    /** "1.23 (1.1 to 1.34)". */
    @Override
    public String toString() {
        return "%s (%s to %s)".formatted(plain(median), plain(low), plain(high));
    }

    private static String plain(double value) {
        return Double.isFinite(value) ? new BigDecimal(value).round(THREE_DIGITS).stripTrailingZeros().toPlainString() : Double.toString(value);
    }
}
