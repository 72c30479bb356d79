// SPDX-License-Identifier: Apache-2.0
package lsmlab.load.result;

/** A value with its 95 % interval. The ends are NaN if too little is known for one. */
public record Interval(double median, double low, double high) {
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
}
