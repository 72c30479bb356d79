// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.autopsy;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

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

    /** Of neighbours in order, what is alike as one part, as long as those were together. The parts follow each other without gaps, the first begins where it did. */
    static List<Part> together(List<Part> neighbours) {
        Map<String, List<Part>> alike = neighbours.stream().collect(Collectors.groupingBy(part -> part.cause() + part.detail(), LinkedHashMap::new, Collectors.toList()));
        List<Part> fewer = new ArrayList<>();
        long at = neighbours.getFirst().fromNanos();
        for (List<Part> parts : alike.values()) {
            Part longest = Collections.max(parts, Comparator.comparingLong(Part::nanos)); // each may have a thread of its own
            long until = at + parts.stream().mapToLong(Part::nanos).sum();
            fewer.add(new Part(longest.cause(), longest.detail(), longest.thread(), at, until));
            at = until;
        }
        return fewer;
    }
}
