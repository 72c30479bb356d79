// SPDX-License-Identifier: Apache-2.0
package lsmlab.load.rounds;

import java.util.ArrayList;
import java.util.List;
import lsmlab.load.estimate.Estimate;
import lsmlab.load.result.Pair;
import lsmlab.load.result.Ratio;
import lsmlab.load.result.Slice;

/**
 * How targets compare with the first one: each ratio is estimated from the ratios of the rounds.
 *
 * @param slices of all targets
 * @param cpuIsKnown whether slices have the targets' processor time
 */
record Ratios(List<String> urls, List<Slice> slices, boolean cpuIsKnown) {
    private static final double MOST = 100; // of a ratio's logarithm

    List<Ratio> all() {
        List<Ratio> all = new ArrayList<>();
        for (int target = 1; target < urls.size(); target++) {
            for (String measure : Ratio.MEASURES) {
                if (cpuIsKnown || !measure.equals("cpuMicrosPerRequest")) {
                    all.add(ratio(measure, target));
                }
            }
        }
        return all;
    }

    private Ratio ratio(String measure, int target) {
        List<Pair> pairs = Pair.of(slices, 0, target);
        double[] logs = pairs.stream().mapToDouble(pair -> Math.log(pair.target().value(measure) / pair.base().value(measure)))
                .filter(log -> !Double.isNaN(log)).toArray();
        // With fewer the ratio would be that of the rounds in which a server happened to answer.
        Estimate estimate = 2 * logs.length >= pairs.size() ? Estimate.ofSeries(logs) : new Estimate(Double.NaN, Double.NaN, Double.NaN);
        int disturbed = (int) slices.stream().filter(slice -> slice.disturbed() != null && (slice.turn().target() == 0 || slice.turn().target() == target)).count();
        return new Ratio(measure, urls.get(target), urls.getFirst(), ratioOf(estimate.centre()), ratioOf(estimate.low()), ratioOf(estimate.high()), logs.length, disturbed);
    }

    private static Double ratioOf(double log) {
        return Double.isNaN(log) || log > MOST ? null : Math.exp(log);
    }
}
