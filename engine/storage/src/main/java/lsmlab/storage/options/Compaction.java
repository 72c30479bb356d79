// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage.options;

/** Which runs are merged, and when. */
public enum Compaction {
    /** Runs of similar size are merged when there are too many: few rewrites, several runs to ask ({@code TieredPolicy}). */
    TIERED,
    /** Levels of one run, each ten times the one above: more rewrites, few runs to ask ({@code LeveledPolicy}). */
    LEVELED,
    /** Never, as in the reports: each flush adds a run. */
    NONE
}
