// SPDX-License-Identifier: Apache-2.0
package lsmlab.load.rounds;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;
import lsmlab.load.estimate.Estimate;

/** Loads targets in turns until they are warm: until their service times have stopped falling. */
final class WarmUp {
    private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(10); // a target
    private static final int SLICES = 4; // that are compared with as many before
    private static final double SAME = 0.05;

    private final List<List<Warm>> slices; // of each target
    private final double seconds;

    /** What a slice showed; no time without an answer. */
    record Warm(double serviceMicros, int connections) {
        /** Of a closed loop, by Little's law: answers that came after the slice count, too, or a slow server would have none. */
        double perSecond() {
            return serviceMicros > 0 ? connections * 1e6 / serviceMicros : 0;
        }
    }

    private WarmUp(List<List<Warm>> slices, double seconds) {
        this.slices = slices;
        this.seconds = seconds;
    }

    /**
     * @param plan whose warm-up time counts, if it has one
     * @param targets how many there are
     * @param connections to each
     */
    static WarmUp of(Slices load, Plan plan, int targets, int connections) throws IOException, InterruptedException {
        Random random = new Random(plan.seed());
        List<List<Warm>> slices = IntStream.range(0, targets).<List<Warm>>mapToObj(_ -> new ArrayList<>()).toList();
        long longest = plan.warmupMillis() > 0 ? targets * TimeUnit.MILLISECONDS.toNanos(plan.warmupMillis()) : targets * LONGEST_NANOS;
        long start = System.nanoTime();
        do {
            for (int target : shuffled(targets, random)) {
                Slices.Measured slice = load.load(target, 0, plan.arrivals(random.nextInt()), plan.sliceNanos());
                slices.get(target).add(new Warm(slice.tally().service.mean(), connections));
            }
        } while (System.nanoTime() - start < longest && (plan.warmupMillis() > 0 || !isLevel(slices)));
        return new WarmUp(slices, (System.nanoTime() - start) / 1e9);
    }

    /** The targets of a round, in the order of their slices. */
    static List<Integer> shuffled(int targets, Random random) {
        List<Integer> order = new ArrayList<>(IntStream.range(0, targets).boxed().toList());
        Collections.shuffle(order, random);
        return order;
    }

    private static boolean isLevel(List<List<Warm>> slices) {
        return slices.stream().allMatch(WarmUp::isLevelOfOne);
    }

    static boolean isLevelOfOne(List<Warm> slices) {
        int size = slices.size();
        return size >= 2 * SLICES && median(slices.subList(size - SLICES, size), Warm::serviceMicros) > (1 - SAME) * median(slices.subList(size - 2 * SLICES, size - SLICES), Warm::serviceMicros);
    }

    private static double median(List<Warm> slices, ToDoubleFunction<Warm> value) {
        return Estimate.median(slices.stream().mapToDouble(value).toArray());
    }

    boolean isLevel() {
        return isLevel(slices);
    }

    double seconds() {
        return seconds;
    }

    /** What a target answered in the end, if it was loaded in a closed loop. */
    double perSecond(int target) {
        List<Warm> all = slices.get(target);
        return median(all.subList(Math.max(0, all.size() - SLICES), all.size()), Warm::perSecond);
    }
}
