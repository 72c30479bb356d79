// SPDX-License-Identifier: Apache-2.0
package lsmlab.server.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import lsmlab.server.wire.Request;
import org.junit.jupiter.api.Test;

/** Versions while the system's clock is set, and when another node's is wrong. */
class ClockTest {
    private Instant system = Instant.parse("2026-11-21T12:00:00Z");
    private long nanos;
    private final Clock clock = new Clock(3, () -> system, () -> nanos);

    @Test
    void versionsRiseWhateverTheSystemsClockDoes() {
        long before = clock.next();
        system = Instant.parse("2094-01-01T00:00:00Z");
        nanos += TimeUnit.SECONDS.toNanos(1);
        long after = clock.next();
        assertEquals(1_000_000L << 8, after - before, "a second later");
        system = Instant.parse("1990-01-01T00:00:00Z");
        assertTrue(clock.next() > after);
        assertEquals(3, clock.next() & 0xFF, "the node");
    }

    /** A laptop was closed over night: the processor's clock stood still, and a node that is started now must not be ahead of this one. */
    @Test
    void timeThatAMachineSleptIsFollowed() {
        long before = clock.next();
        system = system.plus(Duration.ofHours(8));
        assertEquals(TimeUnit.HOURS.toMicros(8), (clock.next() >> 8) - (before >> 8), 1_000_000);
        system = system.plus(Duration.ofSeconds(1));
        nanos += TimeUnit.SECONDS.toNanos(1);
        assertEquals(TimeUnit.HOURS.toMicros(8) + 1_000_000, (clock.next() >> 8) - (before >> 8), 1_000_000);
    }

    @Test
    void aVersionThatIsSeenIsPassedUnlessItIsFarAhead() {
        long now = clock.next();
        long soon = now + (TimeUnit.MINUTES.toMicros(9) << 8);
        clock.saw(soon);
        assertTrue(clock.next() > soon);
        clock.saw(now + (Clock.MOST_AHEAD.plus(Duration.ofMinutes(1)).toMillis() * 1_000 << 8));
        assertTrue(clock.next() < soon + 1_000, "not taken over");
        assertTrue(clock.isAhead(999_999_999_999_999_999L));
        assertFalse(clock.isAhead(clock.next()));
    }

    @Test
    void everyVersionUntilTheEndOfTheFormatIsRead() {
        system = Instant.parse("2500-01-01T00:00:00Z");
        long version = new Clock(255, () -> system, () -> 0).next();
        assertTrue(version > 0 && version <= Request.MAX_VERSION, "19 digits: " + version);
    }
}
