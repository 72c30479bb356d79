// SPDX-License-Identifier: Apache-2.0
package lsmlab.load.plan;

/** When the requests of all connections of a load are due. */
public interface Arrivals {
    /** The schedule of one of {@code count} connections, from a moment on. */
    Schedule of(int connection, int count, long startNanos);

    /** The next request when the last one's response is there. */
    static Arrivals closed() {
        return (_, _, startNanos) -> new ClosedLoop(startNanos);
    }

    /** At equal distances, the connections in turn. */
    static Arrivals fixed(double perSecond) {
        return (connection, count, startNanos) -> {
            double intervalNanos = 1e9 * count / perSecond;
            return ConstantRate.of(startNanos + (long) (intervalNanos * connection / count), intervalNanos, startNanos);
        };
    }

    /** Independent of each other; the seed decides when. */
    static Arrivals poisson(double perSecond, long seed) {
        return (connection, count, startNanos) -> new PoissonArrivals(startNanos, 1e9 * count / perSecond, seed * count + connection, startNanos);
    }
}
