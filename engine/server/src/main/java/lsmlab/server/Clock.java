// SPDX-License-Identifier: Apache-2.0
package lsmlab.server;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Gives writes their versions: microseconds since 1970, ever rising, with the node's number in the low bits so that no two nodes give the
 * same. It never falls behind a version it has seen, so a write that follows another, on whatever node, is the newer one.
 */
final class Clock {
    private static final int NODE_BITS = 8;
    static final int MAX_NODES = 1 << NODE_BITS;

    private final int node;
    private final AtomicLong last = new AtomicLong();

    Clock(int node) {
        this.node = node;
    }

    long next() {
        long now = ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now()) << NODE_BITS | node;
        return last.updateAndGet(before -> now > before ? now : ((before >>> NODE_BITS) + 1) << NODE_BITS | node);
    }

    void saw(long version) {
        last.accumulateAndGet(version, Math::max);
    }
}
