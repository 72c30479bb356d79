// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.concurrent.CyclicBarrier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class LabTest {
    @Test
    @Timeout(30)
    void workAtOnceGoesOnAtTheSameTimeAndIsAnsweredInOrder() {
        CyclicBarrier all = new CyclicBarrier(3);
        assertEquals(List.of("a!", "b!", "c!"), Lab.atOnce(List.of("a", "b", "c"), name -> {
            assertDoesNotThrow(() -> all.await());
            return name + "!";
        }));
    }

    @Test
    void aModelsErrorIsAShareOfWhatWasMeasured() {
        assertEquals("8 MB tables, µs: predicted 75.0, measured 60.0, off by 25 %", Lab.tested("8 MB tables, µs", 75, 60));
        assertEquals("stalls: predicted 3.00, measured 0.0", Lab.tested("stalls", 3, 0));
        assertEquals("stalls: predicted 3.00, measured unknown", Lab.tested("stalls", 3, Double.NaN));
    }
}
