// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.reports;

import java.util.Map;
import lsmlab.lab.environment.Mode;
import lsmlab.lab.measure.Outcome;
import lsmlab.load.result.Interval;

/**
 * What a measurement says of a claim. "Not reproduced" is a finding, and so is "can't tell here": an interval covers a bound. Only a full run has the claim's sizes, so what a quick
 * one says is marked so and kept nowhere; a smoke run says nothing.
 */
public final class Verdict {
    private final Claims.Claim claim;
    private final Map<String, Interval> measured;
    private final Outcome holds;
    private final Mode mode;

    Verdict(Claims.Claim claim, Map<String, Interval> measured, Outcome holds, Mode mode) {
        this.claim = claim;
        this.measured = measured;
        this.holds = holds;
        this.mode = mode;
    }

    /** Whether each condition of the claim holds, whatever the mode. */
    public Outcome outcome() {
        return holds;
    }

    public Claims.Claim claim() {
        return claim;
    }

    /** Each measure's value. */
    public Map<String, Interval> measured() {
        return measured;
    }

    /** Whether its outcome means anything: not that of a smoke run. */
    public boolean says() {
        return mode != Mode.SMOKE;
    }

    /** The verdict in words: "reproduced", "not reproduced", "can't tell here"; with a mark if the run is quick, and none if it is for smoke. */
    public String verdict() {
        String verdict = switch (holds) {
            case YES -> "reproduced";
            case NO -> "not reproduced";
            case INCONCLUSIVE -> "can't tell here";
        };
        return switch (mode) {
            case FULL -> verdict;
            case QUICK -> verdict + " (a quick run: smaller sizes, not kept; --full decides)";
            case SMOKE -> "none from a smoke run; --full decides";
        };
    }

    @Override
    public String toString() {
        return "Claim %s: %s".formatted(claim.id(), verdict());
    }
}
