// SPDX-License-Identifier: Apache-2.0
package lsmlab.load.rounds;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import lsmlab.load.result.Slice;
import org.junit.jupiter.api.Test;

class DisturbanceTest {
    private static final Slice.Times FAST = new Slice.Times(0.1, 0.5, 1.0, "");

    private static String of(Slice.Around around, long clockMillis) {
        return Disturbance.of(0.25, around, FAST, clockMillis);
    }

    private static Slice.Around around(double stolen, double foreign, double others, double lagMs, long gcMs) {
        return new Slice.Around(stolen, foreign, others, 0.9, lagMs, gcMs);
    }

    @Test
    void aQuietSliceIsClean() {
        assertNull(of(around(0.2, 0.2, 0.2, 0.9, 10), 500));
        assertNull(of(new Slice.Around(null, null, null, null, null, 0), 0));
    }

    @Test
    void eachDisturbanceIsNamed() {
        assertEquals("the host took 30 % of a processor", of(around(0.3, 0, 0, 0, 0), 0));
        assertEquals("other processes took 40 % of a processor", of(around(0, 0.4, 0, 0, 0), 0));
        assertEquals("the other servers took 50 % of a processor", of(around(0, 0, 0.5, 0, 0), 0));
        assertEquals("the generator paused for 11 ms", of(around(0, 0, 0, 0, 11), 0));
        assertEquals("the generator was 1.5 ms late", of(around(0, 0, 0, 1.5, 0), 0));
    }

    @Test
    void aClockThatJumpsDisturbsInBothDirections() {
        assertEquals("the clock was set by 3600.0 s, or the machine slept", of(around(0, 0, 0, 0, 0), 3_600_000));
        assertEquals("the clock was set by -60.0 s, or the machine slept", of(around(0, 0, 0, 0, 0), -60_000));
    }

    /** What the system counts in steps of 10 ms is a large share of a short slice. */
    @Test
    void aStepOfTheSystemsCountIsNoDisturbance() {
        assertNull(Disturbance.of(0.05, around(0.4, 0.4, 0, 0, 0), FAST, 0));
    }

    @Test
    void latenessOfTheGeneratorCountsBesideTheResponseTime() {
        assertNull(Disturbance.of(0.25, around(0, 0, 0, 1.5, 0), new Slice.Times(5.0, 20.0, 40.0, ""), 0));
    }
}
