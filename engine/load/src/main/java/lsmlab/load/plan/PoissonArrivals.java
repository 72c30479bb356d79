// SPDX-License-Identifier: Apache-2.0
package lsmlab.load.plan;

import java.util.SplittableRandom;

/**
 * An open loop whose requests come independently of each other: the times between them are exponentially distributed. Several such
 * connections together are one with the sum of their rates. The seed decides when each request is due.
 */
public final class PoissonArrivals implements Schedule {
    private final long firstNanos;
    private final double meanNanos;
    private final long seed;
    private final long firstCounted;
    private final Draw draw;

    /** A walk along the arrivals. */
    private final class Draw {
        private final SplittableRandom random = new SplittableRandom(seed);
        private long number;
        private double nanos = gapNanos(); // of that number's arrival, since firstNanos

        private double gapNanos() {
            return -meanNanos * Math.log1p(-random.nextDouble());
        }

        void next() {
            number++;
            nanos += gapNanos();
        }

        long dueNanos() {
            return firstNanos + (long) nanos;
        }
    }

    /**
     * @param firstNanos when the first request may be due
     * @param meanNanos between two requests
     * @param measureNanos when the warm-up ends
     */
    public PoissonArrivals(long firstNanos, double meanNanos, long seed, long measureNanos) {
        this.firstNanos = firstNanos;
        this.meanNanos = meanNanos;
        this.seed = seed;
        draw = new Draw();
        firstCounted = dueBefore(measureNanos);
    }

    @Override
    public long dueNanos(long number, long freeNanos) {
        while (draw.number < number) {
            draw.next();
        }
        return draw.dueNanos();
    }

    /** Draws all of them again. */
    @Override
    public long dueBefore(long end) {
        Draw again = new Draw();
        while (again.dueNanos() < end) {
            again.next();
        }
        return again.number;
    }

    @Override
    public long firstCounted() {
        return firstCounted;
    }
}
