// SPDX-License-Identifier: Apache-2.0
package lsmlab.server.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Gives writes their versions: microseconds since 1970, ever rising, with the node's number in the low bits so that no two nodes give the
 * same. It never falls behind a version it has seen, so a write that follows another, on whatever node, is the newer one.
 *
 * <p>The system's time is read once, at the start; from then on the processor's clock counts. So setting the system's clock while the node runs
 * changes nothing, and the node says so. An exception: when the system's clock is ahead by less than a day, this one follows, because the
 * processor's clock stops while a laptop sleeps. A version more than {@link #MOST_AHEAD} ahead comes from a node whose clock is wrong. This
 * clock ignores it; otherwise this node, and every node that sees its writes, would give such versions from then on.
 */
public final class Clock {
    private static final int NODE_BITS = 8;
    public static final int MAX_NODES = 1 << NODE_BITS;
    /** How far clocks of nodes may be apart. */
    static final Duration MOST_AHEAD = Duration.ofMinutes(10);
    private static final long MOST_AHEAD_VERSIONS = TimeUnit.MILLISECONDS.toMicros(MOST_AHEAD.toMillis()) << NODE_BITS;
    private static final long JUMP_MICROS = TimeUnit.SECONDS.toMicros(30);
    private static final long LONGEST_SLEEP_MICROS = TimeUnit.DAYS.toMicros(1);

    private final int node;
    private final InstantSource system;
    private final LongSupplier nanos;
    private volatile long startMicros;
    private final long startNanos;
    private final AtomicLong last = new AtomicLong();
    private final AtomicBoolean jumped = new AtomicBoolean();

    public Clock(int node) {
        this(node, system(), System::nanoTime);
    }

    /** @param nanos a monotonic clock, as {@link System#nanoTime} */
    Clock(int node, InstantSource system, LongSupplier nanos) {
        this.node = node;
        this.system = system;
        this.nanos = nanos;
        startMicros = systemMicros();
        startNanos = nanos.getAsLong();
    }

    /** The system's clock. Tests set {@code -Dlsmlab.clock=FILE}: the milliseconds in that file are added to the system's time. */
    private static InstantSource system() {
        String file = System.getProperty("lsmlab.clock");
        return file == null ? InstantSource.system() : () -> {
            try {
                return Instant.now().plusMillis(Long.parseLong(Files.readString(Path.of(file)).strip()));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        };
    }

    private long systemMicros() {
        return ChronoUnit.MICROS.between(Instant.EPOCH, system.instant());
    }

    private long micros() {
        return startMicros + TimeUnit.NANOSECONDS.toMicros(nanos.getAsLong() - startNanos);
    }

    long next() {
        long micros = micros();
        long ahead = systemMicros() - micros;
        if (ahead > JUMP_MICROS && ahead < LONGEST_SLEEP_MICROS) {
            follow(ahead);
            micros = micros();
        } else if (Math.abs(ahead) > JUMP_MICROS && jumped.compareAndSet(false, true)) {
            System.err.println("lsm-server: the system's clock was set while this node runs: versions go on by the time since its start");
        }
        long now = micros << NODE_BITS | node;
        return last.updateAndGet(before -> now > before ? now : ((before >>> NODE_BITS) + 1) << NODE_BITS | node);
    }

    private synchronized void follow(long aheadMicros) {
        if (systemMicros() - micros() > JUMP_MICROS) { // or another thread has seen it, too
            startMicros += aheadMicros;
            System.err.printf("lsm-server: the system's clock went ahead by %d s, as after a sleep: versions follow it%n", aheadMicros / 1_000_000);
        }
    }

    /** Whether no node with a sound clock can have given it yet. */
    boolean isAhead(long version) {
        return sinceNow(version) > MOST_AHEAD_VERSIONS;
    }

    /** Whether a node whose clock agrees with this one may have given the version just now. */
    boolean isNear(long version) {
        return Math.abs(sinceNow(version)) <= MOST_AHEAD_VERSIONS;
    }

    private long sinceNow(long version) {
        return version - (micros() << NODE_BITS);
    }

    /** Versions from now on are above this one, unless it is too far ahead. */
    void saw(long version) {
        if (!isAhead(version)) {
            last.accumulateAndGet(version, Math::max);
        }
    }
}
