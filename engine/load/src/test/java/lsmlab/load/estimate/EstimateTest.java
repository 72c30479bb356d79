// SPDX-License-Identifier: Apache-2.0
package lsmlab.load.estimate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.Random;
import java.util.function.ToDoubleFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class EstimateTest {
    /** The table of critical values of Wilcoxon's signed-rank test, 5 % on both sides together. */
    @ParameterizedTest
    @CsvSource({"6,0", "8,3", "10,8", "15,25", "20,52", "24,81", "30,137"})
    void anIntervalLeavesOutAsManyPairsAsTheTablesSay(int n, int outside) {
        double[] powers = new double[n]; // all means of pairs differ
        for (int i = 0; i < n; i++) {
            powers[i] = Math.pow(2, i);
        }
        double[] means = new double[n * (n + 1) / 2];
        int at = 0;
        for (int i = 0; i < n; i++) {
            for (int j = i; j < n; j++) {
                means[at++] = (powers[i] + powers[j]) / 2;
            }
        }
        Arrays.sort(means);
        Estimate estimate = Estimate.of(powers);
        assertEquals(means[outside], estimate.low());
        assertEquals(means[means.length - 1 - outside], estimate.high());
    }

    @Test
    void ofTwoValuesTheIntervalIsStudents() {
        Estimate estimate = Estimate.of(new double[] {1, 3});
        assertEquals(2, estimate.centre());
        assertEquals(2 - 12.706, estimate.low(), 0.001); // t of one degree of freedom, times a standard error of 1
    }

    @Test
    void ofOneValueThereIsNoInterval() {
        assertEquals(5, Estimate.of(new double[] {5}).centre());
        assertTrue(Double.isNaN(Estimate.of(new double[] {5}).low()));
        assertTrue(Double.isNaN(Estimate.of(new double[] {}).centre()));
    }

    /** In 4,000 samples 95 % are 3,800; six standard deviations of that number are 83. Discrete ranks make intervals a little too wide. */
    @ParameterizedTest
    @ValueSource(ints = {3, 6, 12, 24, 60})
    void intervalsHoldTheCentreAsOftenAsTheySay(int n) {
        ToDoubleFunction<Random> disturbed = random -> random.nextGaussian() * (random.nextInt(5) == 0 ? 10 : 1); // one value in five is far out
        for (ToDoubleFunction<Random> distribution : Arrays.<ToDoubleFunction<Random>>asList(Random::nextGaussian, disturbed)) {
            Random random = new Random(n);
            int held = 0;
            for (int sample = 0; sample < 4_000; sample++) {
                double[] values = new double[n];
                Arrays.setAll(values, i -> 7 + distribution.applyAsDouble(random));
                Estimate estimate = Estimate.of(values);
                held += holds(estimate, 7);
            }
            assertTrue(held >= 3_800 - 83 && (held <= 3_800 + 83 || n <= 6), held + " of 4000");
        }
    }

    /**
     * Of a machine whose state lasts for some rounds, and of one whose state does not: 95 % of 2,000 are 1,900, six standard deviations of that number are 59. Correlation
     * is known from few values only: what is left of its effect is less than 4 % of the samples.
     */
    @ParameterizedTest
    @CsvSource({"0, 16", "0, 60", "0.2, 16", "0.2, 60", "0.4, 24", "0.4, 80"})
    void intervalsOfASeriesHoldTheCentreThoughNeighboursAreAlike(double correlation, int n) {
        Random random = new Random(n);
        int held = 0;
        int heldAsIfIndependent = 0;
        for (int sample = 0; sample < 2_000; sample++) {
            double state = random.nextGaussian() / Math.sqrt(1 - correlation * correlation);
            double[] values = new double[n];
            for (int i = 0; i < n; i++) {
                state = correlation * state + random.nextGaussian();
                values[i] = 7 + state;
            }
            held += holds(Estimate.ofSeries(values), 7);
            heldAsIfIndependent += holds(Estimate.of(values), 7);
        }
        assertTrue(held >= 1_900 - 59 - 80 * (correlation > 0 ? 1 : 0), held + " of 2000");
        assertTrue(correlation == 0 || heldAsIfIndependent < held, heldAsIfIndependent + " of 2000 without regard to it");
    }

    @Test
    void aSeriesWhoseNeighboursAreNotAlikeHasTheIntervalOfIndependentValues() {
        double[] alternating = {1, 2, 1, 2.1, 1, 2, 1.1, 2};
        assertEquals(Estimate.of(alternating), Estimate.ofSeries(alternating));
        assertEquals(Estimate.of(new double[] {1, 3}), Estimate.ofSeries(new double[] {1, 3}));
    }

    private static int holds(Estimate estimate, double value) {
        return estimate.low() <= value && value <= estimate.high() ? 1 : 0;
    }

    /** Student's t of such a sample is forty times as wide as before. */
    @Test
    void valuesThatAreFarOutHardlyWidenAnInterval() {
        Random random = new Random(1);
        double[] clean = random.doubles(24, -1, 1).toArray();
        double[] disturbed = clean.clone();
        for (int i = 0; i < 24; i += 5) {
            disturbed[i] *= 100;
        }
        Estimate before = Estimate.of(clean);
        Estimate after = Estimate.of(disturbed);
        assertTrue(after.high() - after.low() < 3 * (before.high() - before.low()), before + " " + after);
    }
}
