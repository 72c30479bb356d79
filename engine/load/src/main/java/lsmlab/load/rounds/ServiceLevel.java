// SPDX-License-Identifier: Apache-2.0
package lsmlab.load.rounds;

import lsmlab.load.count.Tally;
import lsmlab.load.plan.Bound;
import lsmlab.load.result.LoadResult;

/**
 * What a trial must keep to be held: a percentile of the response time below the bound, hardly any errors, and at the end no backlog: a fiftieth of the requests, or one a
 * connection. WHY not none: a server that keeps up is behind at some moments, too, and the end is only a moment.
 */
record ServiceLevel(Bound bound) {
    /** Of a trial's requests, left over at its end: a server that is behind by more can't keep up. */
    private static final double TOLERATED_BACKLOG_SHARE = 0.02;
    /** 1 - 0.999 is a little less than a thousandth. */
    private static final double ROUNDING = 1e-6;

    /** @param perSecond the rate of the trial */
    boolean isHeld(Tally trial, int connections, double perSecond) {
        double notYetLate = perSecond * bound.millis() / 1e3; // of those unsent: they were due just before the end
        double late = trial.response.countAbove((long) (1_000 * bound.millis())) + trial.inFlight + Math.max(0, trial.unsent - notYetLate);
        return trial.planned > 0 && late <= (1 - bound.percentile() / 100) * trial.planned + ROUNDING
                && trial.errors().all() <= LoadResult.TOLERATED_ERROR_SHARE * trial.requests
                && trial.unsent + trial.inFlight <= Math.max(connections, TOLERATED_BACKLOG_SHARE * trial.planned);
    }
}
