// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.reports;

import java.util.Map;
import lsmlab.lab.environment.Mode;

/**
 * What a measurement says of a claim. "Not reproduced" is a finding. Only a full run decides: a quick one measures too little, shows its
 * numbers beside the bounds and gives no verdict.
 */
public final class Verdict {
    private final Claims.Claim claim;
    private final Map<String, Double> measured;
    private final boolean reproduced;
    private final Mode mode;

    Verdict(Claims.Claim claim, Map<String, Double> measured, boolean reproduced, Mode mode) {
        this.claim = claim;
        this.measured = measured;
        this.reproduced = reproduced;
        this.mode = mode;
    }

    /** Whether each condition of the claim holds. */
    public boolean reproduced() {
        return reproduced;
    }

    public Claims.Claim claim() {
        return claim;
    }

    /** Each measure's value. */
    public Map<String, Double> measured() {
        return measured;
    }

    /** Whether it decides: only a full run does. */
    public boolean decides() {
        return mode == Mode.FULL;
    }

    /** The verdict in words: "reproduced", "not reproduced", or that a run of this mode gives none. */
    public String verdict() {
        return !decides() ? "none from a %s run; --full decides".formatted(mode) : reproduced ? "reproduced" : "not reproduced";
    }

    @Override
    public String toString() {
        return "Claim %s: %s".formatted(claim.id(), verdict());
    }
}
