// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.measure;

import java.util.List;
import lsmlab.lab.environment.Text;

/**
 * The highest rate that was held, between a rate that was and one that was not.
 *
 * @param held the run at the knee
 * @param notHeldPerSecond the lowest rate tried that was not held
 * @param ladder every run of the search, in order
 */
public record Knee(String label, Run held, double notHeldPerSecond, List<Run> ladder) {
    /** Requests a second. */
    public double rate() {
        return held.result().requestedPerSecond();
    }

    /** How many times the other's this knee is. */
    public double over(Knee other) {
        return rate() / other.rate();
    }

    /**
     * More than 1 if this knee lies above the other whatever happens between the rates tried: the rate held here over the lowest rate
     * not held there.
     */
    public double clearlyOver(Knee other) {
        return rate() / other.notHeldPerSecond;
    }

    @Override
    public String toString() {
        return "%s: holds %s, not %s".formatted(label, Text.rate(rate()), Text.rate(notHeldPerSecond));
    }
}
