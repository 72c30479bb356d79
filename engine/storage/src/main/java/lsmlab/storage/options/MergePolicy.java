// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage.options;

/** Decides how many of the newest runs tiered compaction merges into one. */
public interface MergePolicy {
    /**
     * With one run too many, it merges the newest two, and with them all other runs on the level of the second. This is the binomial
     * transform (Bentley and Saxe: Decomposable Searching Problems, 1980), which writes least for a bound on runs (Mathieu, Rajaraman,
     * Young, Yousefi: Competitive Data-Structure Dynamization, 2021). With several too many, because the bound was higher before, it also
     * merges as many of the newest as it needs to get back to the bound.
     */
    MergePolicy BINOMIAL = (bytes, levels, maxRuns) -> {
        if (levels.length <= maxRuns) {
            return 0;
        }
        int count = Math.max(2, levels.length - maxRuns + 1);
        while (count < levels.length && levels[count] <= levels[1]) {
            count++;
        }
        return count;
    };

    /**
     * Asked after each flush, and again after each merge until it answers 0, while there are at least two runs. Runs stand newest first
     * in both arrays; a run is never on a higher level than an older one.
     *
     * @param bytes size of each run
     * @param levels 0 for what was flushed; a merged run's is one more than the highest that was merged, but not above that of the next
     *     older run
     * @param maxRuns how many runs should be left
     * @return how many of the newest runs to merge into one, 2 or more, or 0 for none
     */
    int newestToMerge(long[] bytes, int[] levels, int maxRuns);

    /** @throws IllegalArgumentException when that number of runs can't be merged into one */
    static void check(int newest, int runs) {
        if (newest < 2 || newest > runs) {
            throw new IllegalArgumentException("the policy chose %d of %d runs, it must be 0 or at least 2".formatted(newest, runs));
        }
    }
}
