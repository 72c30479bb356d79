// SPDX-License-Identifier: Apache-2.0
package lsmlab.load.rounds;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;
import lsmlab.load.estimate.Estimate;
import lsmlab.load.result.Ratio;
import lsmlab.load.result.Slice;

/**
 * How targets compare with the first one: each ratio is estimated from the ratios of the rounds.
 *
 * @param slices of all targets
 * @param cpuIsKnown whether slices have the targets' processor time
 */
record Ratios(List<String> urls, List<Slice> slices, boolean cpuIsKnown) {
    List<Ratio> all() {
        List<Ratio> all = new ArrayList<>();
        for (int target = 1; target < urls.size(); target++) {
            if (cpuIsKnown) {
                all.add(ratio("cpuMicrosPerRequest", target, Slice::cpuMicrosPerRequest));
            }
            all.add(ratio("throughput", target, Slice::perSecond));
            all.add(ratio("p50Ms", target, slice -> number(slice.response().p50Ms())));
            all.add(ratio("p99Ms", target, slice -> number(slice.response().p99Ms())));
        }
        return all;
    }

    private static double number(Double value) {
        return value == null ? Double.NaN : value;
    }

    private Ratio ratio(String measure, int target, ToDoubleFunction<Slice> value) {
        double[] logs = rounds(target).stream().mapToDouble(pair -> Math.log(value.applyAsDouble(pair.target()) / value.applyAsDouble(pair.base())))
                .filter(Double::isFinite).toArray();
        Estimate estimate = Estimate.of(logs);
        int disturbed = (int) slices.stream().filter(slice -> slice.disturbed() != null && (slice.turn().target() == 0 || slice.turn().target() == target)).count();
        return new Ratio(measure, urls.get(target), urls.getFirst(), ratioOf(estimate.centre()), ratioOf(estimate.low()), ratioOf(estimate.high()), logs.length, disturbed);
    }

    private static Double ratioOf(double log) {
        return Double.isNaN(log) ? null : Math.exp(log);
    }

    /** A round's last slices of the two. */
    private record Pair(Slice base, Slice target) {
        boolean isClean() {
            return base.disturbed() == null && target.disturbed() == null;
        }
    }

    /** Rounds in which neither was disturbed in the end; all of them, if those would be less than half. */
    private List<Pair> rounds(int target) {
        Map<Integer, Slice> bases = lastByRound(0);
        List<Pair> all = lastByRound(target).entrySet().stream().map(entry -> new Pair(bases.get(entry.getKey()), entry.getValue())).toList();
        List<Pair> clean = all.stream().filter(Pair::isClean).toList();
        return 2 * clean.size() >= all.size() ? clean : all;
    }

    private Map<Integer, Slice> lastByRound(int target) {
        Map<Integer, Slice> last = new TreeMap<>();
        slices.stream().filter(slice -> slice.turn().target() == target).forEach(slice -> last.put(slice.turn().round(), slice));
        return last;
    }
}
