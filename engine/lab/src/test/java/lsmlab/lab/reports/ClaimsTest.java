// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.reports;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;
import lsmlab.lab.environment.Mode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The conditions of data/claims.json: each can be met, and each can fail. */
class ClaimsTest {
    private static final Claims CLAIMS = Claims.load(Path.of("../../data/claims.json"));

    static Stream<Claims.Claim> claims() {
        return CLAIMS.all().stream();
    }

    private static Map<String, Double> meeting(Claims.Claim claim) {
        Map<String, Double> values = new HashMap<>();
        claim.measures().forEach(m -> values.put(m, 1.0));
        claim.conditions().forEach(c -> values.put(c.measure(), c.atLeast() != null ? c.atLeast() : c.atMost()));
        return values;
    }

    @ParameterizedTest
    @MethodSource("claims")
    void isReproducedExactlyWhenAllConditionsHold(Claims.Claim claim) {
        assertTrue(CLAIMS.check(claim.id(), meeting(claim), Mode.FULL).reproduced());
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
        Map<String, Double> values = meeting(claim);
        values.put(condition.measure(), value);
        Verdict verdict = CLAIMS.check(claim.id(), values, Mode.FULL);
        assertFalse(verdict.reproduced(), claim.id() + " with " + condition.measure() + " = " + value);
        assertEquals("not reproduced", verdict.verdict());
    }

    @Test
    void theMachinesOwnSpreadWidensTheSame() {
        Map<String, Double> values = new HashMap<>(Map.of("PUT knee 8 MB / 1 MB", 1.3, "PUT knee second pass / first, 1 MB", 1.0,
                "the machine's own spread, A against A", 1.05));
        assertFalse(CLAIMS.check("001-1", values, Mode.FULL).reproduced());
        values.put("the machine's own spread, A against A", 0.7);
        assertTrue(CLAIMS.check("001-1", values, Mode.FULL).reproduced());
        values.put("the machine's own spread, A against A", Double.NaN);
        assertFalse(CLAIMS.check("001-1", values, Mode.FULL).reproduced());
    }

    @Test
    void aQuickRunSaysSo() {
        assertTrue(CLAIMS.check("001-3", Map.of("GET knee 8 MB / 1 MB", 7.8), Mode.QUICK).verdict().contains("quick run"));
    }

    @Test
    void wrongNamesAreExplained() {
        assertThrows(IllegalArgumentException.class, () -> CLAIMS.check("999-9", Map.of(), Mode.FULL));
        String message = assertThrows(IllegalArgumentException.class, () -> CLAIMS.check("001-3", Map.of("knee", 3.0), Mode.FULL)).getMessage();
        assertTrue(message.contains("GET knee 8 MB / 1 MB"), message);
    }
}
