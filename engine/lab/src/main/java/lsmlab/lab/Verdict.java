// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * What a measurement says of a claim. "Not reproduced" is a finding. A quick run measures too little to decide: it shows its numbers beside
 * the bounds and gives no verdict.
 */
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

    /** "reproduced", "not reproduced"; of a quick run neither. */
    String verdict() {
        return mode == Mode.QUICK ? "none from a quick run; --full decides" : reproduced ? "reproduced" : "not reproduced";
    }

    @Override
    public Table table() {
        String caption = "Claim %s: %s. Reported: %s. Verdict: %s".formatted(claim.id(), claim.statement(), claim.reported(), verdict());
        List<String> head = new ArrayList<>(List.of("measure", "measured", "condition", "why there"));
        if (mode == Mode.FULL) {
            head.add("holds");
        }
        Table table = new Table(caption, head.toArray(String[]::new));
        for (Claims.Condition condition : claim.conditions()) {
            List<String> row = new ArrayList<>(List.of(condition.measure(), Text.significant(measured.get(condition.measure())), condition.toString(), condition.because()));
            if (mode == Mode.FULL) {
                row.add(condition.holds(measured) ? "yes" : "no");
            }
            table.row(row.toArray(String[]::new));
        }
        return table;
    }

    @Override
    public String toString() {
        return table().toString();
    }
}
