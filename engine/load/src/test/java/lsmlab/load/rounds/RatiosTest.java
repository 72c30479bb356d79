// SPDX-License-Identifier: Apache-2.0
package lsmlab.load.rounds;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import lsmlab.load.result.Ratio;
import lsmlab.load.result.Slice;
import org.junit.jupiter.api.Test;

/** Ratios of simulated servers on a simulated machine. */
class RatiosTest {
    private static Slice slice(int target, int round, double perSecond, double cpuMicros, String disturbed) {
        long requests = Math.round(perSecond);
        return new Slice(new Slice.Turn(target, round, round, 1), new Slice.Answers(requests, requests, 0, 0, 0, 0),
                new Slice.Times(1e3 / perSecond, 2e3 / perSecond, 9.0, ""), cpuMicros * requests / 1e6, new Slice.Around(0.0, 0.0, 0.0, 0.0, 0.0, 0), disturbed);
    }

    private static Ratio ratio(List<Slice> slices, String measure) {
        return new Ratios(List.of("http://base", "http://other"), slices, true).all().stream().filter(ratio -> ratio.measure().equals(measure)).findAny().orElseThrow();
    }

    /** The machine slows down by ten within the run; rounds don't see it. */
    @Test
    void aDriftOfTheMachineCancelsOut() {
        List<Slice> slices = new ArrayList<>();
        Random random = new Random(1);
        for (int round = 0; round < 24; round++) {
            double speed = 1e5 * Math.pow(0.9, round) * Math.exp(0.02 * random.nextGaussian());
            slices.add(slice(0, round, speed, 10, null));
            slices.add(slice(1, round, 0.5 * speed, 20, null));
        }
        Ratio throughput = ratio(slices, "throughput");
        assertEquals(0.5, throughput.median(), 0.001);
        assertTrue(throughput.low() <= 0.5001 && throughput.high() >= 0.4999, throughput.toString());
        assertEquals(24, throughput.rounds());
        assertEquals(2, ratio(slices, "p50Ms").median(), 0.001);
        assertEquals(2, ratio(slices, "cpuMicrosPerRequest").median(), 0.001);
        assertEquals("http://other", throughput.target());
        assertEquals("http://base", throughput.base());
    }

    /** Of a machine that drifts, with one slice in ten far out. 95 % of 1,000 comparisons are 950, four standard deviations of that number 28. */
    @Test
    void intervalsHoldTheRatioAsOftenAsTheySay() {
        Random random = new Random(6);
        int held = 0;
        for (int run = 0; run < 1_000; run++) {
            List<Slice> slices = new ArrayList<>();
            for (int round = 0; round < 16; round++) {
                double speed = 1e5 * Math.pow(0.97, round);
                slices.add(slice(0, round, speed * noise(random), 10, null));
                slices.add(slice(1, round, 0.8 * speed * noise(random), 10, null));
            }
            Ratio throughput = ratio(slices, "throughput");
            held += throughput.low() <= 0.8 && 0.8 <= throughput.high() ? 1 : 0;
        }
        assertTrue(held >= 950 - 28, held + " of 1000");
    }

    private static double noise(Random random) {
        return Math.exp((random.nextInt(10) == 0 ? 0.5 : 0.05) * random.nextGaussian());
    }

    @Test
    void ofADisturbedSliceItsRepetitionCounts() {
        List<Slice> slices = new ArrayList<>();
        for (int round = 0; round < 10; round++) {
            slices.add(slice(0, round, 1_000, 10, null));
            slices.add(slice(1, round, 100, 10, "the host took 90 % of a processor"));
            slices.add(slice(1, round, 800, 10, null));
        }
        Ratio throughput = ratio(slices, "throughput");
        assertEquals(0.8, throughput.median(), 1e-9);
        assertEquals(10, throughput.disturbed());
    }

    @Test
    void roundsWithoutACleanSliceAreLeftOutUnlessThatWouldBeMostOfThem() {
        List<Slice> slices = new ArrayList<>();
        for (int round = 0; round < 10; round++) {
            slices.add(slice(0, round, 1_000, 10, null));
            slices.add(slice(1, round, round < 4 ? 100 : 800, 10, round < 4 ? "disturbed" : null));
        }
        assertEquals(6, ratio(slices, "throughput").rounds());
        assertEquals(0.8, ratio(slices, "throughput").median(), 1e-9);
        List<Slice> worse = slices.stream().map(slice -> slice.turn().target() == 0 || slice.turn().round() > 8 ? slice
                : slice(1, slice.turn().round(), slice.perSecond(), 10, "disturbed")).toList();
        assertEquals(10, ratio(worse, "throughput").rounds());
    }

    /** Not that of the slices in which it answered. */
    @Test
    void slicesInWhichAServerAnsweredNothingCount() {
        List<Slice> slices = new ArrayList<>();
        for (int round = 0; round < 24; round++) {
            slices.add(slice(0, round, 1_000, 10, null));
            slices.add(slice(1, round, round % 5 < 2 ? 0 : 1_000, 10, null));
        }
        Ratio throughput = ratio(slices, "throughput");
        assertEquals(24, throughput.rounds());
        assertEquals(0, throughput.low(), 1e-9);
        assertTrue(throughput.high() > 0.99, throughput.toString());
    }

    @Test
    void aMeasureThatNoRoundHasIsUnknown() {
        Slice.Times none = new Slice.Times(null, null, null, null);
        List<Slice> slices = new ArrayList<>();
        for (int round = 0; round < 3; round++) {
            for (int target = 0; target < 2; target++) {
                Slice slice = slice(target, round, 1_000, 10, null);
                slices.add(new Slice(slice.turn(), slice.answers(), none, null, slice.around(), null));
            }
        }
        assertNull(ratio(slices, "p99Ms").median());
        assertEquals(0, ratio(slices, "p99Ms").rounds());
        assertEquals(1, ratio(slices, "throughput").median(), 1e-9);
    }
}
