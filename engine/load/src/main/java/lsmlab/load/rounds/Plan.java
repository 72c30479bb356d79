// SPDX-License-Identifier: Apache-2.0
package lsmlab.load.rounds;

import java.util.Locale;
import lsmlab.load.plan.Arrivals;

/**
 * How several targets are to be loaded in turns.
 *
 * @param perSecond requests, all connections together; 0: a closed loop
 * @param poisson whether they come independently of each other
 * @param seed decides when requests come and in which order a round has the targets
 * @param warmupMillis of each target before the first round; 0: until service times are level
 */
public record Plan(double perSecond, boolean poisson, long sliceNanos, int rounds, long seed, long warmupMillis) {
    boolean isClosed() {
        return perSecond == 0;
    }

    /** @param slice each has other times */
    Arrivals arrivals(long slice) {
        if (isClosed()) {
            return Arrivals.closed();
        }
        return poisson ? Arrivals.poisson(perSecond, seed + slice) : Arrivals.fixed(perSecond);
    }

    String load() {
        return isClosed() ? "closed loop" : String.format(Locale.ROOT, "open loop, %.0f/s%s", perSecond, poisson ? ", exponential arrivals" : "");
    }
}
