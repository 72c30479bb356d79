// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.reports;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;
import lsmlab.lab.environment.Mode;
import lsmlab.lab.measure.Outcome;
import lsmlab.load.result.Interval;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The conditions of data/claims.json: each can be met, and each can fail. */
class ClaimsTest {
    private static final Claims CLAIMS = Claims.load(Path.of("../../data/claims.json"));

    static Stream<Claims.Claim> claims() {
        return CLAIMS.all().stream();
    }

    private static Map<String, Interval> meeting(Claims.Claim claim) {
        Map<String, Interval> values = new HashMap<>();
        claim.measures().forEach(m -> values.put(m, Interval.exactly(1)));
        claim.conditions().forEach(c -> values.put(c.measure(), Interval.exactly(c.atLeast() != null ? c.atLeast() : c.atMost())));
        return values;
    }

    @ParameterizedTest
    @MethodSource("claims")
    void isReproducedExactlyWhenAllConditionsHold(Claims.Claim claim) {
        assertEquals(Outcome.YES, CLAIMS.check(claim.id(), meeting(claim), Mode.FULL).outcome());
        for (Claims.Condition condition : claim.conditions()) {
            assertTrue(condition.atLeast() != null || condition.atMost() != null, "a condition that nothing can fail");
            if (condition.atLeast() != null) {
                assertContrary(claim, condition, condition.atLeast() - 0.01);
            }
            if (condition.atMost() != null) {
                assertContrary(claim, condition, condition.atMost() + 0.01);
            }
            assertContrary(claim, condition, Double.NaN);
            assertContrary(claim, condition, Double.POSITIVE_INFINITY);
        }
    }

    private static void assertContrary(Claims.Claim claim, Claims.Condition condition, double value) {
        Map<String, Interval> values = meeting(claim);
        values.put(condition.measure(), Interval.exactly(value));
        Verdict verdict = CLAIMS.check(claim.id(), values, Mode.FULL);
        assertEquals(Outcome.NO, verdict.outcome(), claim.id() + " with " + condition.measure() + " = " + value);
        assertEquals("not reproduced", verdict.verdict());
    }

    @Test
    void theMachinesOwnSpreadWidensTheSame() {
        Map<String, Interval> values = new HashMap<>(Map.of("PUT knee 8 MB / 1 MB", Interval.exactly(1.3), "PUT knee second pass / first, 1 MB", Interval.exactly(1),
                "the machine's own spread, A against A", Interval.exactly(1.05)));
        assertNotEquals(Outcome.YES, CLAIMS.check("001-1", values, Mode.FULL).outcome());
        values.put("the machine's own spread, A against A", Interval.exactly(0.7));
        assertEquals(Outcome.YES, CLAIMS.check("001-1", values, Mode.FULL).outcome());
        values.put("the machine's own spread, A against A", Interval.exactly(Double.NaN));
        assertNotEquals(Outcome.YES, CLAIMS.check("001-1", values, Mode.FULL).outcome());
    }

    /** One of the machine's own differences that are possible would excuse the measure, another one would not. */
    @Test
    void ofAMachineThatHardlyKnowsItselfNothingIsDecided() {
        Map<String, Interval> values = new HashMap<>(Map.of("PUT knee 8 MB / 1 MB", Interval.exactly(1.3), "PUT knee second pass / first, 1 MB", Interval.exactly(1),
                "the machine's own spread, A against A", new Interval(1, 0.11, 1.1)));
        assertEquals("can't tell here", CLAIMS.check("001-1", values, Mode.FULL).verdict());
        values.put("PUT knee 8 MB / 1 MB", Interval.exactly(1));
        assertEquals("reproduced", CLAIMS.check("001-1", values, Mode.FULL).verdict());
    }

    /** Where an interval covers the bound of 001-3, at least 2.79, nothing is decided. */
    @ParameterizedTest
    @CsvSource(quoteCharacter = '"', textBlock = """
            4, 3.5, 4.5, reproduced
            4, 2.79, 5, reproduced
            4, 2.7, 5, can't tell here
            2.5, 2, 3.1, can't tell here
            2.5, 2.1, 2.7, not reproduced
            """)
    void anIntervalDecidesAsAWhole(double median, double low, double high, String verdict) {
        assertEquals(verdict, CLAIMS.check("001-3", Map.of("GET knee 8 MB / 1 MB", new Interval(median, low, high)), Mode.FULL).verdict());
    }

    @Test
    void whatIsNotKnownCantBeTold() {
        assertEquals("can't tell here", CLAIMS.check("001-3", Map.of("GET knee 8 MB / 1 MB", Interval.UNKNOWN), Mode.FULL).verdict());
    }

    @Test
    void aConditionThatFailsDecidesWhateverIsKnownOfTheOthers() {
        assertEquals(Outcome.NO, Outcome.INCONCLUSIVE.and(Outcome.NO));
        assertEquals(Outcome.INCONCLUSIVE, Outcome.YES.and(Outcome.INCONCLUSIVE));
        assertEquals(Outcome.YES, Outcome.YES.and(Outcome.YES));
    }

    @Test
    void aQuickRunSaysSo() {
        assertTrue(CLAIMS.check("001-3", Map.of("GET knee 8 MB / 1 MB", Interval.exactly(7.8)), Mode.QUICK).verdict().contains("quick run"));
    }

    @Test
    void wrongNamesAreExplained() {
        assertThrows(IllegalArgumentException.class, () -> CLAIMS.check("999-9", Map.of(), Mode.FULL));
        String message = assertThrows(IllegalArgumentException.class, () -> CLAIMS.check("001-3", Map.of("knee", Interval.exactly(3)), Mode.FULL)).getMessage();
        assertTrue(message.contains("GET knee 8 MB / 1 MB"), message);
    }
}
