// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.grading;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import lsmlab.lab.measure.Outcome;
import lsmlab.lab.measure.PairedRatio;
import lsmlab.storage.MergeSimulation;
import org.junit.jupiter.api.Test;

class AssignmentTest {
    private final Assignment anna = new Assignment("02-pruning", "anna");

    @Test
    void numbersAreTheStudentsOwnAndTheAssignments() {
        assertEquals(anna.seed(), new Assignment("02-pruning", " Anna ").seed());
        assertNotEquals(anna.seed(), new Assignment("02-pruning", "bob").seed());
        assertNotEquals(anna.seed(), new Assignment("03-backpressure", "anna").seed());
        assertArrayEquals(anna.keys(10, "k")[7], anna.keys(10, "k")[7]);
        assertThrows(IllegalArgumentException.class, () -> new Assignment("02-pruning", " "));
    }

    @Test
    void whatHangsIsAnErrorThatSaysSo() {
        String message = assertThrows(AssertionError.class, () -> anna.within("50ms", () -> {
            while (!Thread.currentThread().isInterrupted()) {
                Thread.onSpinWait();
            }
        })).getMessage();
        assertTrue(message.startsWith("not done within 50ms"), message);
        assertThrows(ArithmeticException.class, () -> anna.within("5s", () -> 1 / Integer.parseInt("0")));
    }

    private static final class Fields {
        static final int CONSTANT = 1;
        private final long[] words = new long[10];
        private final byte[][] parts = {new byte[3], null};
        private int count;
    }

    private static final class Hoarder {
        private final Map<String, String> everything = new HashMap<>();
    }

    @Test
    void onlyNumbersAndTheirArraysCountAsMemory() throws IllegalAccessException {
        assertEquals(640 + 24, anna.bits(new Fields()));
        assertThrows(AssertionError.class, () -> anna.bits(new Hoarder()));
    }

    @Test
    void whatLiesWithinTheNoiseIsNotDecided() {
        assertEquals(Outcome.YES, PairedRatio.of(Math.log(0.40), Math.log(0.42), Math.log(0.38)).isAtMost(0.5));
        assertEquals(Outcome.NO, PairedRatio.of(Math.log(0.90), Math.log(0.92), Math.log(0.88)).isAtMost(0.5));
        assertEquals(Outcome.INCONCLUSIVE, PairedRatio.of(Math.log(0.30), Math.log(0.60), Math.log(0.45)).isAtMost(0.5));
        assertEquals(Outcome.YES, PairedRatio.of(0, 0, 0).isAtLeast(1));
        assertEquals(Outcome.NO, Outcome.INCONCLUSIVE.and(Outcome.NO));
        assertEquals(Outcome.INCONCLUSIVE, Outcome.YES.and(Outcome.INCONCLUSIVE));
        assertThrows(IllegalStateException.class, () -> anna.decide("it", Outcome.INCONCLUSIVE));
        assertThrows(AssertionError.class, () -> anna.decide("it", Outcome.NO));
    }

    @Test
    void aQueueIsSeenUnderOverload() throws Exception {
        Overload small = anna.overload(new ArrayBlockingQueue<>(5), "2ms", "600ms");
        Overload large = anna.overload(new ArrayBlockingQueue<>(20), "2ms", "600ms");
        assertTrue(small.refused() > small.accepted(), small.toString());
        assertTrue(small.medianWaitMs() > 2 * small.serviceMs() && large.medianWaitMs() > 2 * small.medianWaitMs(), small + ", " + large);
        assertThrows(AssertionError.class, () -> anna.overload(new ArrayBlockingQueue<>(5), "500ms", "500ms"));
    }

    @Test
    void eightTailsAreRecordedWithAnEventInEach() {
        List<Tail> tails = anna.recordedTails();
        assertEquals(8, tails.size());
        assertTrue(tails.contains(anna.recordedTail()));
        for (Tail tail : tails) {
            assertTrue(tail.slow().size() >= 10 && tail.ordinary().size() >= 10 && !tail.events().isEmpty(), tail.toString());
        }
    }

    /** A tree of depth d takes C(runs + d, d) flushes, each of which was merged d runs / (runs + 1) times on average. */
    @Test
    void theLeastThatIsWrittenIsThatOfTheBinomialTransform() {
        assertEquals(10, MergeSimulation.of((bytes, levels, most) -> 0, 5, 10, () -> 3).mostRuns());
        assertEquals(1 + 20 * 4 / 5.0, anna.leastWriteAmplification(4, 10_626), 1); // C(24, 20)
        assertEquals(1 + 10 * 8 / 9.0, anna.leastWriteAmplification(8, 43_758), 1); // C(18, 10)
    }

    @Test
    void theSimulationCountsWhatIsMerged() {
        List<String> asked = new ArrayList<>();
        MergeSimulation simulation = MergeSimulation.of((bytes, levels, most) -> {
            asked.add(bytes.length + " runs, newest " + bytes[0]);
            return bytes.length > most ? 2 : 0;
        }, 2, 4, () -> 10);
        assertEquals(List.of("2 runs, newest 10", "3 runs, newest 10", "2 runs, newest 20", "3 runs, newest 10", "2 runs, newest 30"), asked);
        assertEquals(1 + 50 / 40.0, simulation.writeAmplification());
        assertEquals(2, simulation.mostRuns());
        assertThrows(IllegalArgumentException.class, () -> MergeSimulation.of((bytes, levels, most) -> 1, 2, 2, () -> 1));
    }

    @Test
    void aPartOfARecordingBeginsAnew() {
        Recording later = new Recording(3, new long[] {0, 3, 13, 14}, new long[] {1, 10, 3, 2}).part(1, 3);
        assertArrayEquals(new long[] {0, 10, 11}, later.sentMicros());
        assertArrayEquals(new long[] {10, 3, 2}, later.serviceMicros());
        Recording stall = anna.recordedStall();
        assertTrue(Arrays.stream(stall.serviceMicros()).max().getAsLong() > 900_000, stall.toString());
    }
}
