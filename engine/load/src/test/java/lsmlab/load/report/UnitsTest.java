// SPDX-License-Identifier: Apache-2.0
package lsmlab.load.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import lsmlab.load.result.LoadResult;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class UnitsTest {
    @ParameterizedTest
    @CsvSource({"100,100", "10k,10000", "2M,2000000", "1g,1000000000"})
    void counts(String text, long count) {
        assertEquals(count, Units.parseCount(text));
    }

    @ParameterizedTest
    @CsvSource({"30,30", "30s,30", "2m,120", "1H,3600"})
    void times(String text, long seconds) {
        assertEquals(seconds, Units.parseSeconds(text));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "1.5", "-1", "k", "10x", "999999999999999999"})
    void whatIsNoCount(String text) {
        assertThrows(RuntimeException.class, () -> Units.parseCount(text));
    }

    @ParameterizedTest
    @CsvSource({"0,0.00us", "849,849.00us", "850,0.85ms", "999999,1000.00ms", "1000000,1.00s", "50999999,51.00s", "51000000,0.85m", "7200000000,120.00m"})
    void latenciesSwitchUnitsAsWrk2Does(double micros, String text) {
        assertEquals(text, Units.micros(micros));
    }

    @ParameterizedTest
    @CsvSource({"15,15s", "90,2m", "150,2m", "51,1m", "50,50s"})
    void durations(double seconds, String text) {
        assertEquals(text, Units.seconds(seconds, 0));
    }

    @ParameterizedTest
    @CsvSource({"860,860.00", "129086,126.06K", "4300000,4.10M"})
    void bytes(double bytes, String text) {
        assertEquals(text, Units.binary(bytes));
    }

    @Test
    void numbersAreRoundedAsCDoes() {
        assertEquals("0.12", Units.fixed(0.125, 2));
        assertEquals("2.67", Units.fixed(2.675, 2)); // the double lies below the tie
        assertEquals("-nan", Units.fixed(Double.NaN, 2));
    }

    @Test
    void cellsAlignNumbersWhateverTheirUnit() {
        assertEquals("  0.90ms", Units.cell("0.90ms", 8));
        assertEquals("  364.59us", Units.cell("364.59us", 10));
        assertEquals("  1.93s ", Units.cell("1.93s", 8));
        assertEquals("104.38  ", Units.cell("104.38", 8));
        assertEquals(" 19.00k ", Units.cell("19.00k", 8));
        assertEquals("    -nan", Units.cell("-nan", 8));
    }

    @Test
    void localeDoesNotMatter() {
        Locale before = Locale.getDefault();
        Locale.setDefault(Locale.forLanguageTag("ar-EG-u-nu-arab"));
        try {
            assertEquals("1.50ms", Units.micros(1500));
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);
            new TextReport(out).totals(1234, 1_000_000, 5, new LoadResult.Errors(1, 2, 3, 4, 5));
            assertTrue(bytes.toString(StandardCharsets.UTF_8).startsWith("  1234 requests in 1.00s, 5.00B read\n  Socket errors: connect 1,"));
        } finally {
            Locale.setDefault(before);
        }
    }
}
