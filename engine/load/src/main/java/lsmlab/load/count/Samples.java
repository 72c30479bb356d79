// SPDX-License-Identifier: Apache-2.0
package lsmlab.load.count;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.zip.Deflater;
import lsmlab.load.result.LoadResult;
import org.HdrHistogram.Histogram;

/**
 * Latencies in microseconds, or rates a second, three significant digits: the histogram wrk2 keeps, read by wrk2's rules, which differ
 * from HdrHistogram's own in rounding a percentile's rank and in where a value of a bucket is taken.
 */
public final class Samples {
    private static final long MAX = TimeUnit.HOURS.toMicros(24);
    /** Steps of the spectrum for each halving of the distance to 100 %. */
    private static final int TICKS_PER_HALF_DISTANCE = 5;

    private final Histogram histogram = new Histogram(1, MAX, 3);

    public void record(long value) {
        histogram.recordValue(Math.clamp(value, 0, MAX));
    }

    public void reset() {
        histogram.reset();
    }

    void add(Samples other) {
        histogram.add(other.histogram);
    }

    public long count() {
        return histogram.getTotalCount();
    }

    /** NaN when nothing was recorded. */
    public double mean() {
        return count() == 0 ? Double.NaN : histogram.getMean();
    }

    public double stdev() {
        return count() == 0 ? Double.NaN : histogram.getStdDeviation();
    }

    /** Lowest value of the largest bucket: wrk2's Max, which may stand below the spectrum's last row. */
    public long max() {
        return count() == 0 ? 0 : histogram.lowestEquivalentValue(histogram.getMaxValue());
    }

    public long min() {
        return count() == 0 ? 0 : histogram.getMinValue();
    }

    /** Highest value of the bucket that holds rank floor(p/100 n + 1/2). */
    public long percentile(double percentile) {
        long rank = Math.max(1, (long) (percentile / 100 * count() + 0.5));
        for (var value : histogram.recordedValues()) {
            if (value.getTotalCountToThisValue() >= rank) {
                return histogram.highestEquivalentValue(value.getValueIteratedTo());
            }
        }
        return 0;
    }

    /** Values above this one, but for the width of a bucket: 0.1 %. */
    public long countAbove(long value) {
        return value >= MAX ? 0 : histogram.getCountBetweenValues(histogram.nextNonEquivalentValue(value), MAX);
    }

    /** Percentage of values about one standard deviation from the mean: whole buckets from the one that holds the lower bound on. */
    public double withinOneStdev() {
        if (count() == 0) {
            return 0;
        }
        long low = (long) (mean() - stdev());
        long high = histogram.highestEquivalentValue((long) (mean() + stdev()) + 1);
        long within = 0;
        for (var value : histogram.recordedValues()) {
            long lowest = histogram.lowestEquivalentValue(value.getValueIteratedTo());
            if (lowest >= low && lowest <= high) {
                within += value.getCountAddedInThisIterationStep();
            }
        }
        return 100.0 * within / count();
    }

    /** The percentile spectrum as wrk2 prints it: value, quantile, count of values up to it. */
    public List<LoadResult.Point> spectrum() {
        List<LoadResult.Point> points = new ArrayList<>();
        double nextPercentile = 0;
        long total = count();
        long lastValue = 0;
        for (var value : histogram.recordedValues()) {
            long toHere = value.getTotalCountToThisValue();
            lastValue = histogram.highestEquivalentValue(value.getValueIteratedTo());
            while (nextPercentile <= 100.0 * toHere / total) {
                points.add(new LoadResult.Point(lastValue / 1000.0, nextPercentile / 100, toHere));
                if (toHere == total) {
                    break;
                }
                nextPercentile += 100.0 / ticks(nextPercentile);
            }
        }
        points.add(new LoadResult.Point(lastValue / 1000.0, 1, total));
        return points;
    }

    private static long ticks(double percentile) {
        int halvings = (int) (Math.log(100 / (100 - percentile)) / Math.log(2)) + 1;
        return TICKS_PER_HALF_DISTANCE * (1L << halvings);
    }

    /** HdrHistogram V2, compressed, base64. */
    public String encoded() {
        ByteBuffer buffer = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
        int length = histogram.encodeIntoCompressedByteBuffer(buffer, Deflater.BEST_COMPRESSION);
        return Base64.getEncoder().encodeToString(Arrays.copyOf(buffer.array(), length));
    }

    /** Everything a reader of the result needs to draw or merge these latencies. */
    public LoadResult.Latency result() {
        boolean empty = count() == 0;
        return new LoadResult.Latency(count(), empty ? null : mean() / 1000, empty ? null : stdev() / 1000, empty ? null : max() / 1000.0,
                spectrum(), encoded());
    }
}
