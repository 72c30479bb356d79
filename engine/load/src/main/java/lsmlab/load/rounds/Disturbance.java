// SPDX-License-Identifier: Apache-2.0
package lsmlab.load.rounds;

import java.util.Locale;
import lsmlab.load.result.Slice;

/** What disturbs a slice, so that it is not to count. */
final class Disturbance {
    private static final double MOST_STOLEN = 0.25;
    private static final double MOST_FOREIGN = 0.25;
    /** Less than that is no more than the steps in which the system counts. */
    private static final double LEAST_SECONDS = 0.03;
    private static final long MOST_GC_MS = 10;
    /** Of the generator's lateness, and as a share of the response time at the same percentile. */
    private static final double MOST_LAG_MS = 1;
    private static final double MOST_LAG_SHARE = 0.25;
    private static final long MOST_CLOCK_MILLIS = 500;

    private Disturbance() {}

    /**
     * In words; null if nothing disturbed it.
     *
     * @param clockMillis by which the clock of the day went further than the time that passed
     */
    static String of(double seconds, Slice.Around around, Slice.Times response, long clockMillis) {
        if (Math.abs(clockMillis) > MOST_CLOCK_MILLIS) {
            return text("the clock was set by %.1f s, or the machine slept", clockMillis / 1e3);
        }
        if (isMuch(around.stolen(), MOST_STOLEN, seconds)) {
            return text("the host took %.0f %% of a processor", 100 * around.stolen());
        }
        if (isMuch(around.foreign(), MOST_FOREIGN, seconds)) {
            return text("other processes took %.0f %% of a processor", 100 * around.foreign());
        }
        if (isMuch(around.others(), MOST_FOREIGN, seconds)) {
            return text("the other servers took %.0f %% of a processor", 100 * around.others());
        }
        if (around.generatorGcMs() > MOST_GC_MS) {
            return text("the generator paused for %d ms", around.generatorGcMs());
        }
        Double lag = around.generatorLagMs();
        if (lag != null && response.p99Ms() != null && lag > Math.max(MOST_LAG_MS, MOST_LAG_SHARE * response.p99Ms())) {
            return text("the generator was %.1f ms late", lag);
        }
        return null;
    }

    private static boolean isMuch(Double share, double most, double seconds) {
        return share != null && share > most && share * seconds > LEAST_SECONDS;
    }

    private static String text(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
