// SPDX-License-Identifier: Apache-2.0
package lsmlab.load.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class ArrivalsTest {
    private static final long SECOND = 1_000_000_000;

    private static List<Long> due(Arrivals arrivals, int connections, long start, long end) {
        List<Long> due = new ArrayList<>();
        for (int i = 0; i < connections; i++) {
            Schedule schedule = arrivals.of(i, connections, start);
            assertEquals(0, schedule.firstCounted());
            long planned = schedule.planned(end);
            for (long number = 0; number < planned; number++) {
                due.add(schedule.dueNanos(number, 0));
            }
            assertTrue(schedule.dueNanos(planned, 0) >= end, "no more than planned are due");
        }
        Collections.sort(due);
        return due;
    }

    @Test
    void ofAFixedRateConnectionsTakeTurnsAtEqualDistances() {
        List<Long> due = due(Arrivals.fixed(1_000), 16, 7 * SECOND, 8 * SECOND);
        assertEquals(1_000, due.size());
        for (int i = 0; i < due.size(); i++) {
            assertEquals(7 * SECOND + i * 1_000_000L, due.get(i), 2);
        }
    }

    /** Of 20,000 arrivals a second the count is 20,000 within six standard deviations of 141; a share e^-1 of all gaps is longer than their mean. */
    @Test
    void exponentialArrivalsComeIndependentlyOfEachOtherAndTheSeedDecidesWhen() {
        List<Long> due = due(Arrivals.poisson(20_000, 5), 16, SECOND, 2 * SECOND);
        assertEquals(20_000, due.size(), 850);
        long longGaps = 0;
        for (int i = 1; i < due.size(); i++) {
            longGaps += due.get(i) - due.get(i - 1) > SECOND / 20_000 ? 1 : 0;
        }
        assertEquals(Math.exp(-1), longGaps / (double) due.size(), 0.02);
        assertEquals(due, due(Arrivals.poisson(20_000, 5), 16, SECOND, 2 * SECOND));
        assertNotEquals(due, due(Arrivals.poisson(20_000, 6), 16, SECOND, 2 * SECOND));
    }

    @Test
    void requestsOfAWarmUpDoNotCount() {
        Schedule schedule = new PoissonArrivals(0, 1_000_000, 3, SECOND);
        assertEquals(schedule.firstCounted(), schedule.dueBefore(SECOND));
        assertTrue(schedule.dueNanos(schedule.firstCounted(), 0) >= SECOND);
        assertEquals(schedule.dueBefore(2 * SECOND) - schedule.firstCounted(), schedule.planned(2 * SECOND));
    }

    @Test
    void aClosedLoopWaitsForItsAnswer() {
        Schedule schedule = Arrivals.closed().of(3, 16, SECOND);
        assertEquals(SECOND, schedule.dueNanos(0, 5));
        assertEquals(3 * SECOND, schedule.dueNanos(1, 3 * SECOND));
    }
}
