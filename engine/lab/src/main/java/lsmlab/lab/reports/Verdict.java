// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.reports;

import java.util.Map;
import lsmlab.lab.environment.Mode;

/**
 * What a measurement says of a claim. "Not reproduced" is a finding. A quick run measures too little to decide: it shows its numbers beside
 * the bounds and gives no verdict.
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

    /** Whether it decides: a quick run does not. */
    public boolean decides() {
        return mode == Mode.FULL;
    }

    /** The verdict in words: "reproduced", "not reproduced", or that a quick run gives none. */
    public String verdict() {
        return !decides() ? "none from a quick run; --full decides" : reproduced ? "reproduced" : "not reproduced";
    }

    @Override
    public String toString() {
        return "Claim %s: %s".formatted(claim.id(), verdict());
    }
}
