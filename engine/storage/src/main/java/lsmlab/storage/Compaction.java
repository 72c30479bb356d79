// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

/** Which runs are merged, and when. */
public enum Compaction {
    /** Runs of similar size are merged when there are too many: few rewrites, several runs to ask ({@link TieredPolicy}). */
    TIERED,
    /** Levels of one run, each ten times the one above: more rewrites, few runs to ask ({@link LeveledPolicy}). */
    LEVELED,
    /** Never, as in the reports: each flush adds a run. */
    NONE
}
