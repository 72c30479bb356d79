// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.measure;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;
import lsmlab.lab.environment.Given;

/**
 * How well a model agrees with what was counted.
 *
 * @param largestError of the model, as a share of the count: 0.2 if it is off by 20 % somewhere
 * @param rankCorrelation Spearman's: 1 if the model puts all things in their order, whatever its errors
 */
public record Agreement(double largestError, double rankCorrelation) {
    /** The agreement over some things. */
    public static <T> Agreement of(List<T> things, ToDoubleFunction<T> model, ToDoubleFunction<T> counted) {
        Given.some("Agreement.of", "things that were counted", things.toArray());
        double[] said = things.stream().mapToDouble(model).toArray();
        double[] found = things.stream().mapToDouble(counted).toArray();
        double error = IntStream.range(0, said.length).mapToDouble(i -> Math.abs(said[i] / found[i] - 1)).max().orElseThrow();
        return new Agreement(error, correlation(ranks(said), ranks(found)));
    }

    /** Equal values share the mean of their ranks. */
    private static double[] ranks(double[] values) {
        return Arrays.stream(values).map(value -> Arrays.stream(values).map(other -> other < value ? 1 : other == value ? 0.5 : 0).sum()).toArray();
    }

    private static double correlation(double[] a, double[] b) {
        return covariance(a, b) / Math.sqrt(covariance(a, a) * covariance(b, b));
    }

    private static double covariance(double[] a, double[] b) {
        double meanOfA = Arrays.stream(a).average().orElseThrow();
        double meanOfB = Arrays.stream(b).average().orElseThrow();
        return IntStream.range(0, a.length).mapToDouble(i -> (a[i] - meanOfA) * (b[i] - meanOfB)).sum();
    }

    @Override
    public String toString() {
        return String.format(Locale.ROOT, "off by %.1f %% at most, rank correlation %.2f", 100 * largestError, rankCorrelation);
    }
}
