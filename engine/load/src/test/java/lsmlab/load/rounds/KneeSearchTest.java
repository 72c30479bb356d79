// SPDX-License-Identifier: Apache-2.0
package lsmlab.load.rounds;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import lsmlab.load.result.Knees;
import lsmlab.load.result.Slice;
import org.junit.jupiter.api.Test;

/** Searches on simulated machines that get faster and slower by a factor of two within a search. */
class KneeSearchTest {
    private static final int SEARCHES = "1".equals(System.getenv("LSM_LAB_ALL_TESTS")) ? 2_000 : 200;
    /** 95 %, less four standard deviations of that number. Intervals hold for another start, too, so they may hold more often here. */
    private static final double FEWEST_HELD = 0.95 * SEARCHES - 4 * Math.sqrt(0.95 * 0.05 * SEARCHES);
    private static final int TRIALS = 40;
    private static final int MOST_TRIALS = 180;
    private static final double NARROW = 0.05;
    private static final double YARDSTICK_PER_SECOND = 80_000;

    private static Slice slice(String disturbed) {
        return slice(disturbed, 0);
    }

    /** @param errors of 100 answers */
    private static Slice slice(String disturbed, long errors) {
        return new Slice(new Slice.Turn(0, 0, 0, 1), new Slice.Answers(100, 100, 0, errors, 0, 0), new Slice.Times(1.0, 1.0, 1.0, null), null, null, disturbed);
    }

    /**
     * @param knee as a share of the yardstick
     * @param trials at most; the search ends before if its interval is narrow
     */
    private static Knees.Knee search(double knee, boolean hasYardstick, int trials, Random random) {
        double closed = 1.1 * knee * YARDSTICK_PER_SECOND;
        KneeSearch search = new KneeSearch("http://simulated", hasYardstick, closed, hasYardstick ? YARDSTICK_PER_SECOND : 1);
        double phase = random.nextDouble();
        for (int i = 0; i < trials && !search.isKnown(NARROW); i++) {
            double machine = Math.pow(2, 0.5 * Math.sin(2 * Math.PI * (phase + i / 25.0))); // 0.71 to 1.41
            double unit = hasYardstick ? YARDSTICK_PER_SECOND * machine * Math.exp(0.04 * random.nextGaussian()) : 1;
            double level = search.nextLevel(random);
            double above = Math.log(level * unit / (knee * YARDSTICK_PER_SECOND * machine));
            boolean held = random.nextDouble() < 0.95 / (1 + Math.exp(above / 0.03));
            search.learn(level, unit, held, slice(i % 10 == 9 ? "disturbed" : null), 1.0);
        }
        return search.result(search.isKnown(NARROW));
    }

    /** Without a yardstick what the interval is of has no one value. */
    @Test
    void withAYardstickAMachineThatChangesByTwoIsNoMatter() {
        Random random = new Random(1);
        int held = 0;
        double squares = 0;
        for (int i = 0; i < SEARCHES; i++) {
            double knee = 0.2 + 0.6 * random.nextDouble();
            Knees.Knee found = search(knee, true, TRIALS, random);
            held += found.share().low() <= knee && knee <= found.share().high() ? 1 : 0;
            squares += Math.pow(Math.log(found.share().median() / knee), 2) / SEARCHES;
            assertEquals(found.share().median() * YARDSTICK_PER_SECOND, found.perSecond().median(), 0.45 * found.perSecond().median());
            assertEquals(TRIALS, found.trials().size());
        }
        assertTrue(held >= FEWEST_HELD, held + " of " + SEARCHES);
        assertTrue(Math.sqrt(squares) < 0.04, "standard deviation " + Math.sqrt(squares));
    }

    /** To stop when the interval is narrow is to look at it again and again. */
    @Test
    void intervalsHoldTheKneeAlsoWhenTheSearchStopsBecauseTheyAreNarrow() {
        Random random = new Random(5);
        int held = 0;
        int narrow = 0;
        for (int i = 0; i < SEARCHES; i++) {
            double knee = 0.2 + 0.6 * random.nextDouble();
            Knees.Knee found = search(knee, true, MOST_TRIALS, random);
            held += found.share().low() <= knee && knee <= found.share().high() ? 1 : 0;
            narrow += found.narrow() && found.trials().size() < MOST_TRIALS ? 1 : 0;
        }
        assertTrue(held >= FEWEST_HELD, held + " of " + SEARCHES);
        assertTrue(narrow > SEARCHES / 2, narrow + " of " + SEARCHES + " ended early");
    }

    @Test
    void aSearchIsOpenUntilItsTrialsShowWhereTheKneeLies() {
        KneeSearch search = new KneeSearch("http://simulated", false, 10_000, 1);
        assertFalse(search.isOpen(), "nothing was tried");
        search.learn(7_000, 1, true, slice(null), 1.0);
        assertTrue(search.isOpen());
        Random random = new Random(4);
        for (int i = 0; i < TRIALS; i++) {
            double level = search.nextLevel(random);
            search.learn(level, 1, level < 8_000, slice(null), 1.0);
        }
        assertFalse(search.isOpen(), search.result(false).words());
    }

    @Test
    void whatNeverHoldsIsSaidInWords() {
        Random random = new Random(2);
        KneeSearch search = new KneeSearch("http://simulated", false, 10_000, 1);
        for (int i = 0; i < TRIALS; i++) {
            search.learn(search.nextLevel(random), 1, false, slice(null), null);
        }
        assertTrue(search.result(false).words().matches("no knee: hardly any of 40 trials was held, and the lowest rate was (19\\d|20\\d)/s"), search.result(false).words());
        assertNull(search.result(false).perSecond());
    }

    @Test
    void errorsThatKeepAServerFromAKneeAreNamed() {
        Random random = new Random(6);
        KneeSearch search = new KneeSearch("http://simulated", false, 10_000, 1);
        for (int i = 0; i < TRIALS; i++) {
            search.learn(search.nextLevel(random), 1, false, slice(null, 25), 1.0);
        }
        assertTrue(search.result(false).words().endsWith("/s; on average 25.0 % of a trial's answers were errors"), search.result(false).words());
    }

    @Test
    void whatFailsWhileItIsDisturbedIsNotBlamedOnTheServer() {
        KneeSearch search = new KneeSearch("http://simulated", false, 10_000, 1);
        for (int i = 0; i < 9; i++) {
            search.learn(5_000, 1, false, slice("another process"), null);
        }
        assertTrue(!search.result(false).words().contains("hardly any"), search.result(false).words());
    }

    @Test
    void whatAlwaysHoldsIsSaidInWords() {
        Random random = new Random(3);
        KneeSearch search = new KneeSearch("http://simulated", false, 10_000, 1);
        for (int i = 0; i < TRIALS; i++) {
            search.learn(search.nextLevel(random), 1, true, slice(null), 1.0);
        }
        assertTrue(search.result(false).words().startsWith("no knee: nearly all of 40 trials were held, and the highest rate was "), search.result(false).words());
    }
}
