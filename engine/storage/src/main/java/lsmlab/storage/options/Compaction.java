// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage.options;

/** Which runs are merged, and when. */
public enum Compaction {
    /** Some of the newest runs are merged when there are too many ({@link MergePolicy#BINOMIAL}): few rewrites, several runs to ask. */
    TIERED,
    /** Levels of one run, each ten times the newer one before it: more rewrites, few runs to ask ({@code LeveledPolicy}). */
    LEVELED,
    /** Never, as in the reports: each flush adds a run. */
    NONE
}
