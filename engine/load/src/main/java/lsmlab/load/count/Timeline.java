// SPDX-License-Identifier: Apache-2.0
package lsmlab.load.count;

import java.util.ArrayList;
import java.util.List;
import lsmlab.load.result.LoadResult;

/** The run in equal slices: requests by the moment they were due, with their latencies. Times are relative to the start of the run. */
public final class Timeline {
    private static final int MAX_SLICES = 600;
    private static final long SHORTEST_SLICE_NANOS = 100_000_000;

    private final long sliceNanos;
    private final long[] count;
    private final long[] responseSum;
    private final long[] responseMax;
    private final long[] serviceSum;
    private final long[] serviceMax;

    Timeline(long durationNanos) {
        sliceNanos = Math.max(SHORTEST_SLICE_NANOS, durationNanos / MAX_SLICES);
        int slices = (int) ((durationNanos + sliceNanos - 1) / sliceNanos);
        count = new long[slices];
        responseSum = new long[slices];
        responseMax = new long[slices];
        serviceSum = new long[slices];
        serviceMax = new long[slices];
    }

    void record(long dueNanos, long responseMicros, long serviceMicros) {
        int slice = (int) Math.clamp(dueNanos / sliceNanos, 0, count.length - 1L);
        count[slice]++;
        responseSum[slice] += responseMicros;
        responseMax[slice] = Math.max(responseMax[slice], responseMicros);
        serviceSum[slice] += serviceMicros;
        serviceMax[slice] = Math.max(serviceMax[slice], serviceMicros);
    }

    void add(Timeline other) {
        for (int i = 0; i < count.length; i++) {
            count[i] += other.count[i];
            responseSum[i] += other.responseSum[i];
            responseMax[i] = Math.max(responseMax[i], other.responseMax[i]);
            serviceSum[i] += other.serviceSum[i];
            serviceMax[i] = Math.max(serviceMax[i], other.serviceMax[i]);
        }
    }

    public List<LoadResult.Interval> intervals() {
        List<LoadResult.Interval> intervals = new ArrayList<>();
        for (int i = 0; i < count.length; i++) {
            double start = i * sliceNanos / 1e9;
            intervals.add(count[i] == 0
                    ? new LoadResult.Interval(start, 0, null, null, null, null)
                    : new LoadResult.Interval(start, count[i], responseSum[i] / 1e3 / count[i], responseMax[i] / 1e3,
                            serviceSum[i] / 1e3 / count[i], serviceMax[i] / 1e3));
        }
        return intervals;
    }

    /** Mean response time in milliseconds of the requests due between two shares of what was run; NaN without any. */
    public double meanResponseMs(double fromShare, double toShare) {
        int used = count.length;
        while (used > 0 && count[used - 1] == 0) {
            used--;
        }
        long sum = 0;
        long requests = 0;
        for (int i = (int) (fromShare * used); i < (int) Math.ceil(toShare * used); i++) {
            sum += responseSum[i];
            requests += count[i];
        }
        return sum / 1e3 / requests;
    }
}
