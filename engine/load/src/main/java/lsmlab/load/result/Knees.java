// SPDX-License-Identifier: Apache-2.0
package lsmlab.load.result;

import java.util.List;

/**
 * The rates at which servers begin to miss a service level, searched for in turns. A knee is the rate at which half of the trials hold that
 * nothing else disturbs.
 *
 * @param percentile of the response time, which must stay below {@code boundMs}
 * @param tolerated errors, as a share of responses
 * @param trialSeconds length of a trial
 * @param seconds that the search took, warm-up included
 * @param yardstick URL of the server that rates are compared with; null: none
 * @param knees of the other servers
 */
public record Knees(double percentile, double boundMs, double tolerated, double trialSeconds, double seconds, String yardstick, List<Knee> knees) {
    /**
     * @param share of what the yardstick answers in a closed loop at the same time, with an interval that holds for another start of the server, too; null without a yardstick, or without a knee
     * @param perSecond the same as a rate; null: there is no knee
     * @param spread width of the fall from held to not held, in logarithms of the rate
     * @param lapse share of undisturbed trials that fail at any rate
     * @param narrow whether the interval that its trials leave became as narrow as asked before the time was up; null in rows from before 2026-11-24
     * @param words what was found: why there is no knee, or how sure this one is
     * @param trials in order
     */
    public record Knee(String url, Interval share, Interval perSecond, double spread, double lapse, Boolean narrow, String words, List<Trial> trials) {}

    /**
     * @param perSecond the rate
     * @param share of the yardstick; null without one
     * @param percentileMs what was to stay below the bound; null without a response
     * @param errorShare of the responses
     * @param leftShare of the requests that were due: those that were not sent by the end, or never answered
     * @param cpuMicrosPerRequest processor time of the server a response; null if it is not known
     * @param disturbed what disturbed it; such a trial says little if it is not held. Null if nothing did
     */
    public record Trial(double perSecond, Double share, boolean held, Double percentileMs, double errorShare, double leftShare, Double cpuMicrosPerRequest, String disturbed) {
        /** Mean over some trials; 0 without one. */
        public static double errorShare(List<Trial> trials) {
            return trials.stream().mapToDouble(Trial::errorShare).average().orElse(0);
        }
    }
}
