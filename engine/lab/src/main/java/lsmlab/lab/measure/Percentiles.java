// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.measure;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import lsmlab.load.result.LoadResult;

/** Percentiles of times, and curves of them. */
public final class Percentiles {
    private static final int CURVE_STEPS = 50; // five nines, ten points for each

    private Percentiles() {}

    /** The same times, the shortest first. */
    public static long[] ascending(long[] micros) {
        return Arrays.stream(micros).sorted().toArray();
    }

    /** The smallest time, in milliseconds, that this percentage of all times does not exceed. */
    public static double ms(long[] ascendingMicros, double percentile) {
        return ascendingMicros[(int) Math.ceil(ascendingMicros.length * percentile / 100) - 1] / 1000.0;
    }

    /** The curve of recorded times. */
    public static List<Curve.Point> curve(long[] micros) {
        long[] ascending = ascending(micros);
        return IntStream.rangeClosed(0, CURVE_STEPS).mapToObj(step -> Math.min(micros.length, Math.pow(10, step / 10.0)))
                .map(x -> new Curve.Point(x, ms(ascending, Math.max(100 - 100 / x, 100.0 / micros.length)))).toList();
    }

    /** The curve of a spectrum as the load generator reports it. */
    public static List<Curve.Point> curve(List<LoadResult.Point> spectrum) {
        double all = spectrum.stream().mapToDouble(LoadResult.Point::count).max().orElse(1);
        return spectrum.stream().filter(point -> point.count() > 0).map(point -> new Curve.Point(inverse(point.quantile(), all), point.ms())).toList();
    }

    /** 1/(1-quantile), and at most the number of requests: the slowest request is the right end of a curve. */
    public static double inverse(double quantile, double requests) {
        return quantile < 1 ? Math.min(1 / (1 - quantile), requests) : requests;
    }
}
