// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage.stats;

import java.util.Arrays;

/**
 * When a write passed its steps. The caller hands one in with a write, and may read it, or clear it for the next write, once that write has returned or thrown. Times are nanoseconds of {@link System#nanoTime}.
 */
public final class WriteTrace {
    /** In the order in which a write takes them. A step begins where the step before it that was taken ended. */
    public enum Step {
        /** Waits for the groups before its own. */
        QUEUE,
        /** Waits for as long as a {@code WriteThrottle} or {@link StallCause#SLOWDOWN} asks. */
        THROTTLE,
        /** Waits because of {@link StallCause#MEMTABLES}. */
        FULL_MEMTABLES,
        /** Waits because of {@link StallCause#COMPACTION}. */
        COMPACTION_BEHIND,
        /** Replaces the full memtable by an empty one. */
        FREEZE,
        /** Appends its group to the log. */
        LOG,
        /** Forces the log to the disk. */
        SYNC,
        /** Names a new log where recovery will look for it. */
        REGISTER,
        /** Puts its group into the memtable. */
        MEMTABLE
    }

    private static final int STEPS = Step.values().length;
    private static final long NOT_TAKEN = Long.MIN_VALUE;

    private final long[] endNanos = new long[STEPS];
    private long beganNanos;

    /** Of no write yet. */
    public WriteTrace() {
        clear();
    }

    /** Forgets the write. */
    public void clear() {
        beganNanos = NOT_TAKEN;
    }

    /** A write begins now: no step is taken yet. */
    public void begin() {
        Arrays.fill(endNanos, NOT_TAKEN);
        beganNanos = System.nanoTime();
    }

    /** A step ends now. A trace that is null records nothing. */
    public static void passed(WriteTrace trace, Step step) {
        if (trace != null) {
            trace.endNanos[step.ordinal()] = System.nanoTime();
        }
    }

    /** This write waited until the group that it belongs to began; from there on the steps are the group's. */
    public void follow(WriteTrace group) {
        System.arraycopy(group.endNanos, 0, endNanos, 0, STEPS);
        endNanos[Step.QUEUE.ordinal()] = group.beganNanos;
    }

    /** Whether a write began. */
    public boolean isBegun() {
        return beganNanos != NOT_TAKEN;
    }

    /** When it joined the queue. REQUIRES: it began. */
    public long beganNanos() {
        return beganNanos;
    }

    public boolean isTaken(Step step) {
        return endNanos[step.ordinal()] != NOT_TAKEN;
    }

    /** When a step ended. REQUIRES: it was taken. */
    public long endNanos(Step step) {
        return endNanos[step.ordinal()];
    }
}
