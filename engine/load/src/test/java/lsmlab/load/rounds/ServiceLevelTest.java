// SPDX-License-Identifier: Apache-2.0
package lsmlab.load.rounds;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Set;
import lsmlab.load.count.Tally;
import lsmlab.load.plan.Bound;
import org.junit.jupiter.api.Test;

/** Trials of 1,000 requests at 4,000/s over 16 connections: p99 below 10 ms. */
class ServiceLevelTest {
    private static final ServiceLevel LEVEL = new ServiceLevel(new Bound(99, 10));

    private static Tally trial(int answered, int late, int errors) {
        Tally tally = new Tally(1, Set.of());
        tally.planned = 1_000;
        for (int i = 0; i < answered; i++) {
            tally.completed(i < errors ? 503 : 200, true, 0, i < late ? 20_000 : 500, 500);
        }
        return tally;
    }

    private static boolean isHeld(Tally tally) {
        return LEVEL.isHeld(tally, 16, 4_000);
    }

    @Test
    void onePercentMayBeLate() {
        assertTrue(isHeld(trial(1_000, 0, 0)));
        assertTrue(isHeld(trial(1_000, 10, 0)));
        assertFalse(isHeld(trial(1_000, 11, 0)));
    }

    @Test
    void oneInAThousandMayBeAnError() {
        assertTrue(isHeld(trial(1_000, 0, 1)));
        assertFalse(isHeld(trial(1_000, 0, 2)));
    }

    @Test
    void answersThatNeverCameAreLate() {
        Tally tally = trial(988, 0, 0);
        tally.inFlight = 12;
        assertFalse(isHeld(tally));
    }

    /** 40 were due in the last 10 ms; 20 are a fiftieth. */
    @Test
    void aBacklogIsMoreThanAMomentBrings() {
        Tally moment = trial(980, 0, 0);
        moment.unsent = 20;
        assertTrue(isHeld(moment));
        Tally behind = trial(979, 0, 0);
        behind.unsent = 21;
        assertFalse(isHeld(behind));
    }

    @Test
    void aTrialInWhichNothingWasDueIsNotHeld() {
        Tally tally = new Tally(1, Set.of());
        assertFalse(isHeld(tally));
    }
}
