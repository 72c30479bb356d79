// SPDX-License-Identifier: Apache-2.0
package lsmlab.load.count;

/** Requests a second of each thread, one value a sampling interval: the Req/Sec row. Extremes are kept apart, because wrk2 prints them exactly. */
public final class RateSamples {
    private final Samples samples = new Samples();
    private long min = Long.MAX_VALUE;
    private long max;

    public void add(long perSecond) {
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
    public double mean() {
        return samples.mean();
    }

    public double stdev() {
        return samples.stdev();
    }

    public double withinOneStdev() {
        return samples.withinOneStdev();
    }

    public long percentile(double percentile) {
        return samples.percentile(percentile);
    }

    public long count() {
        return samples.count();
    }

    public long min() {
        return count() == 0 ? 0 : min;
    }

    public long max() {
        return max;
    }
}
