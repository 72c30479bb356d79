// SPDX-License-Identifier: Apache-2.0
package lsmlab.load.result;

import java.math.BigDecimal;
import java.math.MathContext;

/** A value with its 95 % interval. */
public record Interval(double median, double low, double high) {
    private static final MathContext THREE_DIGITS = new MathContext(3);
    /** Nothing is known of it. */
    public static final Interval UNKNOWN = new Interval(Double.NaN, 0, Double.POSITIVE_INFINITY);

    /** A value that is known, like a counter. */
    public static Interval exactly(double value) {
        return new Interval(value, value, value);
    }

    public boolean isExact() {
        return low == high;
    }

    public Interval times(double factor) {
        return new Interval(median * factor, low * factor, high * factor);
    }

    /** This over another one, both positive: the lengths of independent intervals, in logarithms, add like the sides of a right triangle. */
    public Interval over(Interval other) {
        double ratio = median / other.median;
        double below = Math.hypot(Math.log(median / low), Math.log(other.high / other.median));
        double above = Math.hypot(Math.log(high / median), Math.log(other.median / other.low));
        return Double.isNaN(ratio) ? UNKNOWN : new Interval(ratio, ratio * Math.exp(-below), ratio * Math.exp(above));
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
