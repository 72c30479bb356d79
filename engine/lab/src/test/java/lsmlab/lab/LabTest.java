// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class LabTest {
    @Test
    void aModelsErrorIsAShareOfWhatWasMeasured() {
        assertEquals("8 MB tables, µs: predicted 75.0, measured 60.0, off by 25 %", Lab.tested("8 MB tables, µs", 75, 60));
        assertEquals("stalls: predicted 3.00, measured 0.0", Lab.tested("stalls", 3, 0));
        assertEquals("stalls: predicted 3.00, measured unknown", Lab.tested("stalls", 3, Double.NaN));
    }
}
