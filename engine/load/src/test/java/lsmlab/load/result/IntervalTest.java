// SPDX-License-Identifier: Apache-2.0
package lsmlab.load.result;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class IntervalTest {
    private static final double NARROW = Math.log(1.1);

    private static Interval about(double median, double half) {
        return new Interval(median, median * Math.exp(-half), median * Math.exp(half));
    }

    @Test
    void aShareOfFewIsWide() {
        Interval all = Interval.ofShare(5, 5); // by the formula: 5 / (5 + 1.96^2)
        assertEquals(0.566, all.low(), 0.001);
        assertEquals(1, all.high(), 1e-9);
        assertEquals(0.5, Interval.ofShare(50, 100).median(), 1e-9);
        assertEquals(0.404, Interval.ofShare(50, 100).low(), 0.001);
    }

    @Test
    void aFactorOfKnownDeviationWidensBothWays() {
        Interval wider = about(2, 3 * NARROW).times(Interval.ofDeviation(4 * NARROW / 1.96));
        assertEquals(2, wider.median(), 1e-9);
        assertEquals(5 * NARROW, Math.log(wider.high() / 2), 1e-4);
        assertEquals(5 * NARROW, Math.log(2 / wider.low()), 1e-4);
    }

    @Test
    void aRatioIsAsWideAsBothTogether() {
        Interval ratio = about(6, 3 * NARROW).over(about(2, 4 * NARROW));
        assertEquals(3, ratio.median(), 1e-9);
        assertEquals(5 * NARROW, Math.log(ratio.high() / ratio.median()), 1e-9);
        assertEquals(Interval.UNKNOWN, Interval.UNKNOWN.over(about(1, NARROW)));
    }
}
