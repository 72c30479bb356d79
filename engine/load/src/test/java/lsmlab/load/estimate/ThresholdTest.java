// SPDX-License-Identifier: Apache-2.0
package lsmlab.load.estimate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Searches against simulated servers whose thresholds are known. */
class ThresholdTest {
    /** A search takes tens of milliseconds. */
    private static final int SEARCHES = "1".equals(System.getenv("LSM_LAB_ALL_TESTS")) ? 2_000 : 200;
    /** 95 %, less four standard deviations of that number. */
    private static final double FEWEST_HELD = 0.95 * SEARCHES - 4 * Math.sqrt(0.95 * 0.05 * SEARCHES);
    private static final int TRIALS = 40;

    private static Threshold.Found search(double threshold, double spread, double lapse, Random random) {
        Threshold search = new Threshold(1_000, threshold * Math.exp(0.4 * random.nextGaussian()), 100_000);
        for (int i = 0; i < TRIALS; i++) {
            double level = search.nextLevel(random);
            double held = (1 - lapse) / (1 + Math.exp((Math.log(level) - Math.log(threshold)) / spread));
            search.learn(level, random.nextDouble() < held, false);
        }
        assertEquals(TRIALS, search.trials());
        return search.found();
    }

    @ParameterizedTest
    @CsvSource({"0.005,0.02", "0.02,0.02", "0.05,0.1", "0.1,0.05", "0.2,0.2"})
    void intervalsHoldTheThresholdAsOftenAsTheySay(double spread, double lapse) {
        Random random = new Random(1);
        int held = 0;
        double halfWidths = 0;
        for (int i = 0; i < SEARCHES; i++) {
            double threshold = 5_000 * Math.pow(10, random.nextDouble());
            Threshold.Found found = search(threshold, spread, lapse, random);
            held += found.low() <= threshold && threshold <= found.high() ? 1 : 0;
            halfWidths += found.halfWidth() / SEARCHES;
        }
        assertTrue(held >= FEWEST_HELD, "%d of %d, half-width %.3f".formatted(held, SEARCHES, halfWidths));
        assertTrue(halfWidths < 1.7 * spread + 0.1, "half-width %.3f".formatted(halfWidths));
    }

    /** Every second trial is disturbed, and four of five of those fail. */
    @Test
    void disturbedTrialsHaveALapseRateOfTheirOwn() {
        Random random = new Random(2);
        int held = 0;
        for (int i = 0; i < SEARCHES; i++) {
            double threshold = 5_000 * Math.pow(10, random.nextDouble());
            Threshold search = new Threshold(1_000, threshold, 100_000);
            for (int trial = 0; trial < TRIALS; trial++) {
                double level = search.nextLevel(random);
                double curve = 1 / (1 + Math.exp((Math.log(level) - Math.log(threshold)) / 0.05));
                search.learn(level, random.nextDouble() < (trial % 2 == 0 ? 0.97 : 0.2) * curve, trial % 2 == 1);
            }
            held += search.found().low() <= threshold && threshold <= search.found().high() ? 1 : 0;
            assertTrue(search.found().lapse() < 0.2, search.found().toString());
        }
        assertTrue(held >= FEWEST_HELD, held + " of " + SEARCHES);
    }

    /** An expectation that is wrong by ten costs trials, not the result. */
    @Test
    void aWrongExpectationIsOverruled() {
        Random random = new Random(3);
        Threshold search = new Threshold(1_000, 50_000, 100_000);
        for (int i = 0; i < TRIALS; i++) {
            double level = search.nextLevel(random);
            search.learn(level, random.nextDouble() < 0.97 / (1 + Math.exp((Math.log(level) - Math.log(5_000)) / 0.05)), false);
        }
        assertEquals(5_000, search.found().median(), 750);
    }

    @Test
    void whatNeverHoldsEndsAtTheLowerEdge() {
        Random random = new Random(4);
        Threshold search = new Threshold(1_000, 10_000, 100_000);
        for (int i = 0; i < TRIALS; i++) {
            search.learn(search.nextLevel(random), false, false);
        }
        assertTrue(search.found().high() < 1_500, search.found().toString());
    }
}
