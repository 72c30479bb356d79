// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.measure;

import lsmlab.load.result.Interval;

/** Whether a bound is kept. */
public enum Outcome {
    YES, NO, INCONCLUSIVE;

    /** Whether this bound and another one are kept; one that is not decides, whatever is known of the other. */
    public Outcome and(Outcome other) {
        return this == NO || other == NO ? NO : this == YES ? other : this;
    }

    /** Whether a value is at most the bound, as far as can be said. */
    public static Outcome isAtMost(Interval value, double bound) {
        return value.high() <= bound ? YES : value.low() > bound ? NO : INCONCLUSIVE;
    }

    /** Whether a value is at least the bound, as far as can be said. */
    public static Outcome isAtLeast(Interval value, double bound) {
        return value.low() >= bound ? YES : value.high() < bound ? NO : INCONCLUSIVE;
    }
}
