// SPDX-License-Identifier: Apache-2.0
package lsmlab.load.result;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What counts of a round for two targets: the last slice of each, those before it were disturbed. */
public record Pair(Slice base, Slice target) {
    /** Of the rounds in which neither was disturbed in the end; of all rounds, if those would be less than half. A target may be paired with itself. */
    public static List<Pair> of(List<Slice> slices, int base, int target) {
        Map<Integer, Slice> bases = lastByRound(slices, base);
        List<Pair> all = lastByRound(slices, target).entrySet().stream().map(entry -> new Pair(bases.get(entry.getKey()), entry.getValue())).toList();
        List<Pair> clean = all.stream().filter(Pair::isClean).toList();
        return 2 * clean.size() >= all.size() ? clean : all;
    }

    private static Map<Integer, Slice> lastByRound(List<Slice> slices, int target) {
        Map<Integer, Slice> last = new TreeMap<>();
        slices.stream().filter(slice -> slice.turn().target() == target).forEach(slice -> last.put(slice.turn().round(), slice));
        return last;
    }

    boolean isClean() {
        return base.disturbed() == null && target.disturbed() == null;
    }
}
