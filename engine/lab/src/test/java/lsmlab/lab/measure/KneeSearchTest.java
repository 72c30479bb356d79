// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.measure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.DoubleFunction;
import lsmlab.load.result.LoadResult;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The search over made-up servers whose knee is known. */
class KneeSearchTest {
    private static Run run(double asked, double achieved, long errors) {
        LoadResult.Latency latency = new LoadResult.Latency(1, 1.0, 0.0, 1.0, List.of(new LoadResult.Point(1, 1, 1)), null);
        LoadResult result = LoadResult.of(new LoadResult.Load("test", "", null, 1, 1, 0, 0, 10),
                new LoadResult.Counts(asked, null, null, 10 * (long) achieved, achieved, null, 0), new LoadResult.Latencies(latency, null, null, null, null),
                new LoadResult.Outcome(new LoadResult.Errors(0, 0, 0, 0, errors), null, null, null, null, achieved >= LoadResult.SUSTAINED_SHARE * asked ? null : "slow"));
        return new Run("made up", "quick", "a machine", List.of(), Map.of(), false, false, result, 0, Map.of(), Map.of(), Map.of());
    }

    private static DoubleFunction<Run> serverThatHolds(double knee) {
        return rate -> run(rate, Math.min(rate, knee), 0);
    }

    @ParameterizedTest
    @ValueSource(doubles = {400, 1_000, 3_000, 20_000})
    void bothEndsWereTriedAndLieAroundTheKneeWhateverTheFirstGuess(double saturated) {
        Knee knee = KneeSearch.search("", () -> saturated, 1, Double.POSITIVE_INFINITY, 1.2, serverThatHolds(1_000));
        assertTrue(knee.rate() <= 1_000 / LoadResult.SUSTAINED_SHARE && knee.notHeldPerSecond() > 1_000, knee.toString());
        assertTrue(knee.notHeldPerSecond() / knee.rate() <= 1.2);
        List<Double> tried = knee.ladder().stream().map(r -> r.result().requestedPerSecond()).toList();
        assertTrue(tried.contains(knee.rate()) && tried.contains(knee.notHeldPerSecond()), tried.toString());
        assertTrue(tried.size() <= 12, tried.toString());
    }

    @Test
    void lowRatesHaveAKneeToo() {
        Knee knee = KneeSearch.search("", () -> 12, 1, Double.POSITIVE_INFINITY, 1.08, serverThatHolds(10));
        assertEquals(1, knee.notHeldPerSecond() - knee.rate(), 0.5);
    }

    @Test
    void aRateWithErrorsIsNotHeld() {
        Knee knee = KneeSearch.search("", () -> 1_000, 1, Double.POSITIVE_INFINITY, 1.2, rate -> run(rate, rate, rate > 500 ? 1_000 : 0));
        assertEquals(500, knee.rate(), 100);
    }

    @Test
    void aServerThatHoldsNothingIsAnErrorNotAnEndlessSearch() {
        String message = assertThrows(IllegalStateException.class,
                () -> KneeSearch.search("1 MB", () -> 1_000, 1, Double.POSITIVE_INFINITY, 1.2, rate -> run(rate, rate / 2, 0))).getMessage();
        assertTrue(message.startsWith("1 MB: no rate from "), message);
    }

    @Test
    void aServerThatIsWarmOnlyAfterTheFirstSearchIsSearchedOnceMore() {
        AtomicInteger saturations = new AtomicInteger();
        Knee knee = KneeSearch.search("", () -> saturations.incrementAndGet() == 1 ? 100 : 1_000, 1, Double.POSITIVE_INFINITY, 1.2,
                rate -> run(rate, saturations.get() == 1 ? rate / 2 : Math.min(rate, 1_000), 0));
        assertEquals(2, saturations.get());
        assertEquals(1_000, knee.rate(), 200);
    }

    @Test
    void aRateAtWhichConnectionsSendTooFewRequestsIsNotTried() {
        String message = assertThrows(IllegalStateException.class,
                () -> KneeSearch.search("", () -> 100, 48, Double.POSITIVE_INFINITY, 1.2, rate -> run(rate, rate / 2, 0))).getMessage();
        assertTrue(message.contains("no rate from 48/s up was held"), message);
    }
}
