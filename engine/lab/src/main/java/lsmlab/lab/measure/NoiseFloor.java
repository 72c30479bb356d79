// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.measure;

import java.util.List;
import lsmlab.lab.environment.Machine;
import lsmlab.lab.notebook.Turn;
import lsmlab.lab.process.ServerProcess;
import lsmlab.load.result.Interval;
import lsmlab.load.result.RoundsResult;

/**
 * What this machine makes of a server that is compared with itself, in turns, for two seconds and a half: differences that are smaller can't be told
 * apart in so short a time.
 *
 * @param cpu ratio of the processor time a request
 * @param throughput ratio of the throughput
 * @param slices of both turns
 * @param disturbed how many of them something disturbed
 */
public record NoiseFloor(Interval cpu, Interval throughput, int slices, int disturbed) {
    private static final ComparisonRun.Extent EXTENT = new ComparisonRun.Extent(12, 100, 400);
    private static final double QUIET = 0.05;
    private static final double NOISY = 0.15;

    /** Takes about five seconds; where another notebook measures, it waits for that first. */
    public static NoiseFloor measure() {
        try (Turn _ = Turn.take("the noise floor")) {
            List<ServerProcess> both = List.of(Yardstick.running(), Yardstick.running()); // two JVMs would still be compiling
            return of(new ComparisonRun(new Load().connections(16).closed(), EXTENT, both).measure(_ -> {}));
        }
    }

    private static NoiseFloor of(RoundsResult found) {
        return new NoiseFloor(Comparison.interval(found, 1, "cpuMicrosPerRequest"), Comparison.interval(found, 1, "throughput"), found.slices().size(),
                (int) found.slices().stream().filter(slice -> slice.disturbed() != null).count());
    }

    /** The smallest difference in processor time a request that is more than noise: 0.05 for five percent. */
    public double smallestCpuEffect() {
        return smallest(cpu);
    }

    /** The same in throughput. */
    public double smallestThroughputEffect() {
        return smallest(throughput);
    }

    private static double smallest(Interval ratio) {
        return Double.isFinite(ratio.median()) ? Math.max(ratio.high() - 1, 1 - ratio.low()) : Double.POSITIVE_INFINITY;
    }

    /** What can be told apart here. */
    public String words() {
        String what = smallestCpuEffect() <= QUIET ? "quiet" : smallestCpuEffect() <= NOISY ? "noisy" : "very noisy: end what else runs, or expect \"can't tell here\"";
        return "%s. A server compared with itself for %.1f s seems to differ by up to %s in processor time a request and %s in throughput; comparing two servers adds what another start of them changes, %s and %s. %d of %d slices were disturbed"
                .formatted(what, EXTENT.rounds() * EXTENT.sliceMillis() * 2 / 1e3, percent(smallestCpuEffect()), percent(smallestThroughputEffect()), another("cpuMicrosPerRequest"),
                        another("throughput"), disturbed, slices);
    }

    private static String another(String measure) {
        return percent(Interval.ofDeviation(Comparison.BETWEEN_STARTS.get(measure)).high() - 1);
    }

    private static String percent(double share) {
        return Double.isFinite(share) ? "%.0f %%".formatted(100 * share) : "any size";
    }

    /** What else is to be known before measuring: another notebook that measures, a battery, other work. */
    public static List<String> remarks() {
        String other = Turn.other();
        return other == null ? Machine.remarks() : List.of("another notebook measures now: " + other);
    }

    /** Prints it, for scripts/lab doctor. */
    public static void main(String[] arguments) {
        remarks().forEach(System.out::println);
        if (Turn.other() == null) {
            System.out.println(measure().words());
        }
    }
}
