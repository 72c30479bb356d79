// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.autopsy;

/**
 * A part of a request's time, by System.nanoTime.
 *
 * @param detail which one: a node, a lock; may be empty
 * @param thread of the server that the request waits for meanwhile; {@link #NO_THREAD} if none is known
 */
public record Part(Cause cause, String detail, long thread, long fromNanos, long toNanos) {
    /** It waits for another process, or for nothing that is known. */
    public static final long NO_THREAD = 0;

    Part(Cause cause, long thread, long fromNanos, long toNanos) {
        this(cause, "", thread, fromNanos, toNanos);
    }

    public long nanos() {
        return toNanos - fromNanos;
    }

    /** What of it lies in this span; empty if nothing does. */
    Part within(long from, long to) {
        return new Part(cause, detail, thread, Math.max(fromNanos, from), Math.max(Math.max(fromNanos, from), Math.min(toNanos, to)));
    }

    boolean isLike(Part other) {
        return cause == other.cause && detail.equals(other.detail) && thread == other.thread;
    }
}
