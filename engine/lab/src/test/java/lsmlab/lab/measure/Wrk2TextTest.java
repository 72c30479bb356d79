// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.measure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import lsmlab.load.result.LoadResult;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the real wrk2 printed, read. */
class Wrk2TextTest {
    private static LoadResult parse(String golden, double rate, long seconds) throws IOException {
        String text = Files.readString(Path.of("../load/src/test/resources/wrk2-golden", golden + ".out"));
        return Wrk2Text.parse(text, "wrk2", "script.lua", rate, seconds);
    }

    @Test
    void calibratedRunWithTwoSpectra() throws IOException {
        LoadResult result = parse("D", 500, 22);
        assertEquals(11_000, result.requests());
        assertEquals(499.97, result.achievedPerSecond());
        assertEquals(10, result.connections());
        assertEquals(2, result.threads());
        assertEquals(5986, result.response().count());
        assertEquals(215.278, result.response().meanMs());
        assertEquals(2013.184, result.response().maxMs());
        assertEquals(954.367, result.response().percentileMs(90));
        assertEquals(2014.207, result.response().spectrum().getLast().ms());
        assertEquals(1, result.response().spectrum().getLast().quantile());
        assertEquals(5.095, result.service().meanMs());
        assertTrue(result.sustained());
        assertNull(result.intervals());
    }

    @Test
    void overloadIsNotSustained() throws IOException {
        LoadResult result = parse("E", 400, 14);
        assertFalse(result.sustained());
        assertEquals(9748.479, result.response().percentileMs(50));
    }

    @Test
    void aRunThatMeasuredNothing() throws IOException {
        LoadResult result = parse("I", 1, 5);
        assertEquals(0, result.requests());
        assertEquals(6, result.errors().timeout());
        assertEquals(0, result.response().count());
        assertNull(result.response().meanMs());
        assertTrue(Double.isNaN(result.response().percentileMs(99)));
    }

    @Test
    void withoutLatencyOptionOnlyTheSummaryIsKnown() throws IOException {
        LoadResult result = parse("F", 40, 3);
        assertEquals(60, result.errors().status());
        assertEquals(0.87, result.response().meanMs(), 1e-9);
        assertEquals(0.47343, result.response().stdevMs(), 1e-9);
        assertTrue(result.response().spectrum().isEmpty());
    }

    @ParameterizedTest
    @CsvSource({"A,200,15", "B,200,5", "C,1,12", "D,500,22", "E,400,14", "F,40,3", "G,30,3", "H1,100,4", "H3,100,7", "I,1,5", "P,60,3", "P2,60,3", "S,40,5", "Z,400,8"})
    void everyOutputIsRead(String golden, double rate, long seconds) throws IOException {
        LoadResult result = parse(golden, rate, seconds);
        assertTrue(result.seconds() > 0 && result.readBytes() >= 0 && result.url().startsWith("http://"));
    }

    @Test
    void whatIsNotWrk2sIsRefused() {
        assertThrows(IllegalArgumentException.class, () -> Wrk2Text.parse("unable to connect to localhost:1 Connection refused", "wrk2", null, 1, 1));
    }
}
