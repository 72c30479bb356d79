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
                held += estimate.low() <= 7 && 7 <= estimate.high() ? 1 : 0;
            }
            assertTrue(held >= 3_800 - 83 && (held <= 3_800 + 83 || n <= 6), held + " of 4000");
        }
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
