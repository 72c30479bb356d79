// SPDX-License-Identifier: Apache-2.0
package lsmlab.load.result;

/**
 * How a target compares with the first one, from rounds in which both were loaded.
 *
 * @param measure throughput, p50Ms, p99Ms or cpuMicrosPerRequest
 * @param target its URL
 * @param base the first target's URL
 * @param median of target / base: below 1, the target has less
 * @param low of the 95 % interval; null if there are too few rounds for one, as is {@code high}
 * @param rounds that count
 * @param disturbed slices of the two that were disturbed, repeated or not
 */
public record Ratio(String measure, String target, String base, Double median, Double low, Double high, int rounds, int disturbed) {}
