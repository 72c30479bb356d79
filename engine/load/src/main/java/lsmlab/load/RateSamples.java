// SPDX-License-Identifier: Apache-2.0
package lsmlab.load;

/** Requests a second of each thread, one value a sampling interval: the Req/Sec row. Extremes are kept apart, because wrk2 prints them exactly. */
final class RateSamples {
    private final Samples samples = new Samples();
    private long min = Long.MAX_VALUE;
    private long max;

    void add(long perSecond) {
        samples.record(perSecond);
        min = Math.min(min, perSecond);
        max = Math.max(max, perSecond);
    }

    void add(RateSamples other) {
        samples.add(other.samples);
        min = Math.min(min, other.min);
        max = Math.max(max, other.max);
    }

    /** NaN without samples, as the deviation. */
    double mean() {
        return samples.mean();
    }

    double stdev() {
        return samples.stdev();
    }

    double withinOneStdev() {
        return samples.withinOneStdev();
    }

    long percentile(double percentile) {
        return samples.percentile(percentile);
    }

    long count() {
        return samples.count();
    }

    long min() {
        return count() == 0 ? 0 : min;
    }

    long max() {
        return max;
    }
}
