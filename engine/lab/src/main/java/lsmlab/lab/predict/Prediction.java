// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.predict;

import lsmlab.lab.environment.Text;
import lsmlab.load.result.Interval;

/**
 * What was expected and what was measured.
 *
 * @param notebook that asked
 * @param said the reader's number; null: none
 */
public record Prediction(String notebook, String what, Double said, Interval measured) {
    /** Said over measured: 1 is right, 2 is twice too much. REQUIRES: something was said. */
    public Interval ratio() {
        return new Interval(said / measured.median(), said / measured.high(), said / measured.low());
    }

    /** How far it is off, the measurement's interval left aside: 2 for twice too much and for half. REQUIRES: something was said. */
    public double factor() {
        return Math.max(ratio().median(), 1 / ratio().median());
    }

    /** How good it was, in words; "no prediction" where there is none. REQUIRES: it was measured. */
    public String judged() {
        if (said == null) {
            return "no prediction";
        }
        if (said >= measured.low() && said <= measured.high()) {
            return measured.hasNoWidth() ? "right" : "right: within the interval";
        }
        return "%s times too %s".formatted(Text.significant(factor()), said > measured.median() ? "large" : "small");
    }

    /** Whether there is anything to compare with. */
    boolean isMeasured() {
        return !Double.isNaN(measured.median());
    }

    @Override
    public String toString() {
        String expected = said == null ? "" : "you expected %s, ".formatted(Text.plain(said));
        if (!isMeasured()) {
            return "%s: %sit could not be measured this time".formatted(what, expected);
        }
        return "%s: %smeasured %s: %s".formatted(what, expected, measured.hasNoWidth() ? Text.significant(measured.median()) : measured, judged());
    }
}
