// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.measure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.junit.jupiter.api.Test;

class AgreementTest {
    private static Agreement of(List<double[]> modelAndCount) {
        return Agreement.of(modelAndCount, both -> both[0], both -> both[1]);
    }

    @Test
    void theLargestErrorIsAShareOfWhatWasCounted() {
        Agreement agreement = of(List.of(new double[] {1.1, 1}, new double[] {3, 4}, new double[] {9, 9}));
        assertEquals(0.25, agreement.largestError(), 1e-9);
        assertEquals("off by 25.0 % at most, rank correlation 1.00", agreement.toString());
    }

    /** Ranks 1, 2, 3 against 2, 1, 3: 1 - 6 * (1 + 1 + 0) / (27 - 3). */
    @Test
    void theRankCorrelationLooksAtTheOrderAlone() {
        assertEquals(0.5, of(List.of(new double[] {1, 20}, new double[] {2, 10}, new double[] {3, 1_000})).rankCorrelation(), 1e-9);
        assertEquals(-1, of(List.of(new double[] {1, 3}, new double[] {2, 2}, new double[] {3, 1})).rankCorrelation(), 1e-9);
        assertEquals(Math.sqrt(0.75), of(List.of(new double[] {1, 1}, new double[] {2, 2}, new double[] {2, 3})).rankCorrelation(), 1e-9, "two equal values");
    }

    @Test
    void nothingAgreesWithNothing() {
        assertThrows(IllegalArgumentException.class, () -> of(List.of()));
    }
}
