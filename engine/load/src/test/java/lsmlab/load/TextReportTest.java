// SPDX-License-Identifier: Apache-2.0
package lsmlab.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import lsmlab.load.count.RateSamples;
import lsmlab.load.count.Samples;
import lsmlab.load.report.TextReport;
import lsmlab.load.result.LoadResult;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The text against what the real wrk2 printed. */
class TextReportTest {
    private static final Pattern ROW = Pattern.compile("^\\s+([0-9.]+)\\s+[0-9.]+\\s+(\\d+)\\s+(?:[0-9.]+|inf)$");

    private static String golden(String name) throws IOException {
        return Files.readString(Path.of("src/test/resources/wrk2-golden", name + ".out"));
    }

    private static String print(Consumer<TextReport> what) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        PrintStream out = new PrintStream(bytes, false, StandardCharsets.UTF_8);
        what.accept(new TextReport(out));
        out.flush();
        return bytes.toString(StandardCharsets.UTF_8);
    }

    /** The spectra of an output, each as its lines from the head row to "#[Buckets". */
    private static List<String> spectra(String output) {
        List<String> spectra = new ArrayList<>();
        Matcher block = Pattern.compile("(?s)  Detailed Percentile spectrum:\n.*?#\\[Buckets[^\n]*\n").matcher(output);
        while (block.find()) {
            spectra.add(block.group());
        }
        return spectra;
    }

    /** Values that have this spectrum: all values between two rows are put at the later one. */
    private static Samples latencies(String spectrum) {
        Samples latencies = new Samples();
        long before = 0;
        for (String line : spectrum.lines().toList()) {
            Matcher row = ROW.matcher(line);
            if (row.matches()) {
                long micros = Math.round(Double.parseDouble(row.group(1)) * 1000);
                for (long i = before; i < Long.parseLong(row.group(2)); i++) {
                    latencies.record(micros);
                }
                before = Long.parseLong(row.group(2));
            }
        }
        return latencies;
    }

    /** Mean and deviation depend on the values between the rows, which the text does not tell. */
    private static String withoutMean(String spectrum) {
        return spectrum.replaceFirst("#\\[Mean[^\n]*\n", "");
    }

    @ParameterizedTest
    @ValueSource(strings = {"A", "B", "D", "E", "H3", "P", "P2", "Z"})
    void spectrumIsWrk2s(String name) throws IOException {
        List<String> expected = spectra(golden(name));
        assertFalse(expected.isEmpty());
        for (String spectrum : expected) {
            String printed = print(report -> report.distribution("", latencies(spectrum)));
            assertEquals(withoutMean(spectrum), withoutMean(spectra(printed).getFirst()));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"C", "I"})
    void aRunWithoutSamplesIsWrk2sToTheByte(String name) throws IOException {
        String golden = golden(name);
        String expected = golden.substring(golden.indexOf("  Latency Distribution"), golden.indexOf("-".repeat(58)) + 59);
        assertEquals(expected, print(report -> report.distribution("Recorded Latency", new Samples())));
    }

    @Test
    void summaryWithoutSamples() throws IOException {
        String golden = golden("I");
        String expected = golden.substring(golden.indexOf("  Thread Stats"), golden.indexOf("  Latency Distribution"));
        assertEquals(expected, print(report -> report.summary(new Samples(), new RateSamples())));
    }

    @Test
    void summaryRows() {
        Samples latencies = new Samples();
        latencies.record(1_000);
        latencies.record(3_000);
        RateSamples rates = new RateSamples();
        rates.add(100);
        rates.add(20_000);
        assertEquals("""
                  Thread Stats   Avg      Stdev     Max   +/- Stdev
                    Latency     2.00ms    1.00ms   3.00ms  100.00%
                    Req/Sec    10.05k     9.95k   20.00k   100.00%
                """.indent(0), print(report -> report.summary(latencies, rates)));
    }

    /** As wrk2 counts them: whole buckets, from the one above the lower bound to the one that holds the upper bound and one more. */
    @Test
    void valuesWithinOneDeviationAreCountedByBuckets() {
        Samples samples = new Samples();
        for (int value : new int[] {10, 10, 10, 10, 20}) {
            samples.record(value); // mean 12, deviation 4: from 8 to 16
        }
        assertEquals(80, samples.withinOneStdev());
        samples.reset();
        for (int value : new int[] {1, 2, 3, 4, 5}) {
            samples.record(value); // mean 3, deviation 1.41: from 1 to 4, and wrk2 takes 5, too
        }
        assertEquals(100, samples.withinOneStdev());
    }

    @Test
    void headAndTotals() throws IOException {
        String expected = golden("F").lines().filter(l -> !l.contains("Thread") && !l.contains("Latency") && !l.contains("Req/Sec"))
                .limit(6).reduce("", (a, b) -> a + b + "\n");
        assertEquals(expected, print(report -> {
            report.start(3, "http://127.0.0.1:9105/v0/entity?id=1", 1, 4);
            report.totals(121, 3_000_990, 5571, new LoadResult.Errors(0, 0, 0, 0, 60));
        }));
    }

    @Test
    void errorsAndUncalibratedRuns() throws IOException {
        String expected = golden("C").lines().filter(l -> l.contains("requests in") || l.contains("Socket") || l.contains("/sec"))
                .reduce("", (a, b) -> a + b + "\n");
        assertEquals(expected, print(report -> report.totals(20, 12_057_000, 860, new LoadResult.Errors(0, 0, 0, 50, 0))));
        assertEquals("  Thread calibration: mean lat.: 4006.063ms, rate sampling interval: 14475ms\n",
                print(report -> report.calibrated(4_006_063, 14475)));
    }

    @Test
    void percentileRankIsRoundedToTheNearest() {
        Samples latencies = new Samples();
        for (int i = 1; i <= 990; i++) {
            latencies.record(i);
        }
        assertEquals(989, latencies.percentile(99.9));
        assertEquals(990, latencies.percentile(100));
        assertEquals(1, latencies.percentile(0));
    }
}
