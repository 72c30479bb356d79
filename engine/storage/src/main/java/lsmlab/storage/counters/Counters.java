// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage.counters;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import lsmlab.storage.stats.StallCause;
import lsmlab.storage.stats.Stats;

/** What the engine counts while it writes; look-ups count in their {@link ReadCounters}. {@link Stats} is the reading of both. */
public final class Counters {
    public final LongAdder puts = new LongAdder();
    public final LongAdder deletes = new LongAdder();
    public final LongAdder userBytes = new LongAdder();
    public final LongAdder groups = new LongAdder();
    public final LongAdder logBytes = new LongAdder();
    public final LongAdder flushes = new LongAdder();
    public final LongAdder flushedBytes = new LongAdder();
    public final LongAdder flushNanos = new LongAdder();
    public final LongAdder compactions = new LongAdder();
    public final LongAdder compactionReadBytes = new LongAdder();
    public final LongAdder compactionWrittenBytes = new LongAdder();
    public final LongAdder compactionNanos = new LongAdder();

    private final Map<StallCause, Stats.Stalls> stalls = new EnumMap<>(StallCause.class); // GUARDED BY this

    public synchronized void stalled(StallCause cause, long nanos) {
        Stats.Stalls before = stalls.getOrDefault(cause, Stats.Stalls.NONE);
        stalls.put(cause, new Stats.Stalls(before.count() + 1, before.totalNanos() + nanos, Math.max(before.longestNanos(), nanos)));
    }

    public Stats.Writes writes() {
        long bytes = userBytes.sum();
        long written = logBytes.sum() + flushedBytes.sum() + compactionWrittenBytes.sum();
        return new Stats.Writes(puts.sum(), deletes.sum(), bytes, groups.sum(), logBytes.sum(), bytes == 0 ? 0 : (double) written / bytes);
    }

    public Stats.Background background() {
        return new Stats.Background(flushes.sum(), flushedBytes.sum(), flushNanos.sum(), compactions.sum(), compactionReadBytes.sum(),
                compactionWrittenBytes.sum(), compactionNanos.sum());
    }

    public synchronized Stats.Waits waits() {
        Map<StallCause, Stats.Stalls> all = new EnumMap<>(StallCause.class);
        Stats.Stalls total = Stats.Stalls.NONE;
        for (StallCause cause : StallCause.values()) {
            Stats.Stalls one = stalls.getOrDefault(cause, Stats.Stalls.NONE);
            all.put(cause, one);
            total = new Stats.Stalls(total.count() + one.count(), total.totalNanos() + one.totalNanos(), Math.max(total.longestNanos(), one.longestNanos()));
        }
        return new Stats.Waits(total.count(), total.totalNanos(), total.longestNanos(), all);
    }
}
