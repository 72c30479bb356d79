// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage.tree;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import lsmlab.storage.compaction.Run;
import lsmlab.storage.table.KeyMap;
import lsmlab.storage.table.Table;

/** What a map of keys says of a tree's runs. Immutable. The map stays as it is while tables come and go: a table that mapped ones were merged into holds no key that they did not hold. */
public final class Mapping {
    final KeyMap map;
    private final Map<Long, Integer> groups; // of each mapped table's keys, as bits, by its number
    private final int[] groupsOfRuns; // as long as all of a run's tables are mapped, else 0

    private Mapping(KeyMap map, Map<Long, Integer> groups, List<Run<Table>> runs) {
        this.map = map;
        this.groups = groups;
        groupsOfRuns = runs.stream().mapToInt(this::groupsOf).toArray();
    }

    /** @param runs the first has the keys of group 1 */
    public static Mapping of(KeyMap map, List<Run<Table>> runs) {
        Map<Long, Integer> groups = new HashMap<>();
        for (int i = 0; i < runs.size(); i++) {
            for (Table table : runs.get(i).tables()) {
                groups.put(table.number(), 1 << i + 1);
            }
        }
        return new Mapping(map, groups, runs);
    }

    private int groupsOf(Run<Table> run) {
        int all = 0;
        for (Table table : run.tables()) {
            int some = groups.getOrDefault(table.number(), 0);
            if (some == 0) {
                return 0;
            }
            all |= some;
        }
        return all;
    }

    /** The same for other runs; tables among them that were not mapped are not. */
    Mapping over(List<Run<Table>> runs) {
        return new Mapping(map, groups, runs);
    }

    /** The same after a merge; null if no table is left for which the map answers. */
    Mapping merged(Set<Long> inputs, List<Table> outputs, List<Run<Table>> runs) {
        Map<Long, Integer> after = new HashMap<>(groups);
        after.keySet().removeAll(inputs);
        if (groups.keySet().containsAll(inputs)) {
            int all = inputs.stream().mapToInt(groups::get).reduce(0, (a, b) -> a | b);
            outputs.forEach(table -> after.put(table.number(), all));
        }
        return after.isEmpty() ? null : new Mapping(map, after, runs);
    }

    /** Whether the map answers for a run. */
    boolean isMapped(int run) {
        return groupsOfRuns[run] != 0;
    }

    /** Whether a run certainly does not hold the key of a look-up whose groups are these. */
    boolean rulesOut(int run, int groups) {
        return groupsOfRuns[run] != 0 && (groupsOfRuns[run] & groups) == 0;
    }

    /** Of the tables for which the map answers. */
    public long bytes(List<Run<Table>> runs) {
        long bytes = 0;
        for (int i = 0; i < runs.size(); i++) {
            bytes += isMapped(i) ? runs.get(i).bytes() : 0;
        }
        return bytes;
    }
}
