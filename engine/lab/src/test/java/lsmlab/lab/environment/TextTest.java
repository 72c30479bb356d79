// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.environment;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class TextTest {
    @Test
    void durations() {
        assertEquals(Duration.ofMillis(500), Text.duration("500ms"));
        assertEquals(Duration.ofMinutes(2), Text.duration("2m"));
        assertEquals(30, Text.seconds("30s"));
        assertThrows(IllegalArgumentException.class, () -> Text.seconds("1500ms"));
        assertThrows(IllegalArgumentException.class, () -> Text.duration("soon"));
    }

    @Test
    void numbersHaveThreeSignificantDigits() {
        assertEquals("0.123 ms", Text.ms(0.12345));
        assertEquals("12.3 ms", Text.ms(12.345));
        assertEquals("1,235 ms", Text.ms(1234.5));
        assertEquals("12.3 s", Text.ms(12_345.0));
        assertEquals("–", Text.ms(null));
        assertEquals("12,346/s", Text.rate(12_345.6));
        assertEquals("0.000123", Text.significant(0.000123));
    }
}
