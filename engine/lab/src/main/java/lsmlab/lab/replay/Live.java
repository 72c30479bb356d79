// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.replay;

import lsmlab.lab.measure.Run;

/** A run whose engine one could look at while it went on, and the replay of it that stays. */
public record Live(Run run, Replay replay) {
    @Override
    public String toString() {
        return replay.toString();
    }
}
