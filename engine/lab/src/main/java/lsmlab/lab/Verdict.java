// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab;

import java.util.Map;

/** What a measurement says of a claim. "Not reproduced" is a finding; a quick run's verdict is only a hint, and never kept. */
public final class Verdict implements ShownAsTable {
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

    public boolean reproduced() {
        return reproduced;
    }

    String claimId() {
        return claim.id();
    }

    Map<String, Double> measured() {
        return measured;
    }

    /** "reproduced", "not reproduced"; a quick run says so. */
    String verdict() {
        return (reproduced ? "reproduced" : "not reproduced") + (mode == Mode.QUICK ? " (quick run: a hint, not kept)" : "");
    }

    @Override
    public Table table() {
        Table table = new Table("Claim %s: %s. Reported: %s. Verdict: %s".formatted(claim.id(), claim.statement(), claim.reported(), verdict()),
                "measure", "measured", "condition", "why there", "holds");
        claim.conditions().forEach(c -> table.row(c.measure(), Text.significant(measured.get(c.measure())), c.toString(), c.because(),
                c.holds(measured) ? "yes" : "no"));
        return table;
    }

    @Override
    public String toString() {
        return table().toString();
    }
}
