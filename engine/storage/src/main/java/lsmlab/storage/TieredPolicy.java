// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Keeps the number of runs within a bound. When there is one too many it merges the newest k, for the k that costs the fewest bytes per
 * run that goes away. With runs of equal size this gives the binomial pattern that is optimal for a bound on runs (Mathieu, Staelin,
 * Young, Yousefi: Bigtable Merge Compaction, 2014).
 *
 * @param maxRuns at least 1
 */
public record TieredPolicy(int maxRuns, long outputTableBytes) implements CompactionPolicy {
    private static final int BEHIND_FACTOR = 3;

    @Override
    public <T extends SortedTable> Optional<Job<T>> choose(List<Run<T>> runs) {
        if (runs.size() <= maxRuns) {
            return Optional.empty();
        }
        int best = 2;
        double bestCost = Double.POSITIVE_INFINITY;
        long bytes = runs.getFirst().bytes();
        for (int count = 2; count <= runs.size(); count++) {
            bytes += runs.get(count - 1).bytes();
            double cost = (double) bytes / (count - 1);
            if (cost <= bestCost) {
                bestCost = cost;
                best = count;
            }
        }
        Run<T> oldest = runs.get(best - 1);
        String because = String.format(Locale.ROOT, "%d runs > %d; the newest %d cost least, %.1f MB per run that goes away",
                runs.size(), maxRuns, best, bestCost / 1e6);
        return Optional.of(Job.of(runs, runs.subList(0, best), oldest.level(), oldest.id(), because));
    }

    @Override
    public <T extends SortedTable> boolean isBehind(List<Run<T>> runs) {
        return runs.size() > BEHIND_FACTOR * maxRuns;
    }
}
