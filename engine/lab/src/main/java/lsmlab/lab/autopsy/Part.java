// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.autopsy;

/**
 * A part of a request's time, by System.nanoTime.
 *
 * @param detail which one: a node, a lock; may be empty
 */
public record Part(Cause cause, String detail, long fromNanos, long toNanos) {
    public Part(Cause cause, long fromNanos, long toNanos) {
        this(cause, "", fromNanos, toNanos);
    }

    public long nanos() {
        return toNanos - fromNanos;
    }

    /** What of it lies in this span; empty if nothing does. */
    Part within(long from, long to) {
        return new Part(cause, detail, Math.max(fromNanos, from), Math.max(Math.max(fromNanos, from), Math.min(toNanos, to)));
    }
}
