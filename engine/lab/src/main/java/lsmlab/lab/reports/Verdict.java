// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.reports;

import java.util.Map;
import lsmlab.lab.environment.Mode;
import lsmlab.lab.measure.Outcome;
import lsmlab.load.result.Interval;

/**
 * What a measurement says of a claim. "Not reproduced" is a finding, and so is "can't tell here": an interval covers a bound. Only a full run decides: a quick one measures too little, shows its
 * numbers beside the bounds and gives no verdict.
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

    /** Whether it decides: only a full run does. */
    public boolean decides() {
        return mode == Mode.FULL;
    }

    /** The verdict in words: "reproduced", "not reproduced", "can't tell here", or that a run of this mode gives none. */
    public String verdict() {
        if (!decides()) {
            return "none from a %s run; --full decides".formatted(mode);
        }
        return switch (holds) {
            case YES -> "reproduced";
            case NO -> "not reproduced";
            case INCONCLUSIVE -> "can't tell here";
        };
    }

    @Override
    public String toString() {
        return "Claim %s: %s".formatted(claim.id(), verdict());
    }
}
