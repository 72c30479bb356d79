// SPDX-License-Identifier: Apache-2.0
package lsmlab.load;

import java.util.Arrays;
import java.util.stream.LongStream;

/** Requests a second of one thread, one value a sampling interval: the Req/Sec row. Statistics are population ones, NaN when empty. */
final class RateSamples {
    private long[] samples = new long[256];
    private int size;

    void add(long perSecond) {
        if (size == samples.length) {
            samples = Arrays.copyOf(samples, size * 2);
        }
        samples[size++] = perSecond;
    }

    void addAll(RateSamples other) {
        other.values().forEach(this::add);
    }

    private LongStream values() {
        return Arrays.stream(samples, 0, size);
    }

    double mean() {
        return values().average().orElse(Double.NaN);
    }

    double stdev() {
        double mean = mean();
        return Math.sqrt(values().mapToDouble(v -> (v - mean) * (v - mean)).average().orElse(Double.NaN));
    }

    long max() {
        return values().max().orElse(0);
    }

    long min() {
        return values().min().orElse(0);
    }

    long percentile(double percentile) {
        int rank = (int) Math.max(1, percentile / 100 * size + 0.5);
        return values().sorted().skip(rank - 1L).findFirst().orElse(0);
    }

    double withinOneStdev() {
        double low = mean() - stdev();
        double high = mean() + stdev();
        return size == 0 ? 0 : 100.0 * values().filter(v -> v >= low && v <= high).count() / size;
    }
}
