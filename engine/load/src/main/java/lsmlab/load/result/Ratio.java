// SPDX-License-Identifier: Apache-2.0
package lsmlab.load.result;

import java.util.List;

/**
 * How a target compares with the first one, from rounds in which both were loaded.
 *
 * @param measure throughput, p50Ms, p99Ms or cpuMicrosPerRequest
 * @param target its URL
 * @param base the first target's URL
 * @param median of target / base: below 1, the target has less; null where fewer than half of the rounds have a value
 * @param low of the 95 % interval; null if there are too few rounds for one, or it has no end, as is {@code high}
 * @param rounds that count
 * @param disturbed slices of the two that were disturbed, repeated or not
 */
public record Ratio(String measure, String target, String base, Double median, Double low, Double high, int rounds, int disturbed) {
    /** In the order of reports: cost before what depends more on the machine. */
    public static final List<String> MEASURES = List.of("cpuMicrosPerRequest", "throughput", "p50Ms", "p99Ms");

    /** A measure in words. */
    public static String words(String measure) {
        return switch (measure) {
            case "cpuMicrosPerRequest" -> "processor time a request";
            case "throughput" -> "throughput";
            case "p50Ms" -> "p50";
            case "p99Ms" -> "p99";
            default -> throw new IllegalArgumentException("'%s' is not measured, there are %s".formatted(measure, MEASURES));
        };
    }
}
