// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.autopsy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * A span of time that is divided into parts without gaps or overlaps. It begins as one unexplained part; what is laid over it takes the place of what was there.
 */
final class TimeLine {
    /** A request behind thousands of others has as many parts, and there may be thousands of such requests. */
    private static final int MOST_PARTS = 200;

    private final long toNanos;
    private final NavigableMap<Long, Part> parts = new TreeMap<>(); // by their beginning

    /** @param thread that has the request in this time */
    TimeLine(long thread, long fromNanos, long toNanos) {
        this.toNanos = toNanos;
        put(new Part(Cause.UNEXPLAINED, thread, fromNanos, toNanos));
    }

    private void put(Part part) {
        if (part.nanos() > 0) {
            parts.put(part.fromNanos(), part);
        }
    }

    /** Takes the place of all that lay in its span, as far as that is part of this one. */
    void lay(Part part) {
        if (parts.isEmpty()) {
            return;
        }
        Part over = part.within(parts.firstKey(), toNanos);
        if (over.nanos() <= 0) {
            return;
        }
        splitAt(over.fromNanos());
        splitAt(over.toNanos());
        parts.subMap(over.fromNanos(), true, over.toNanos(), false).clear();
        put(over);
    }

    private void splitAt(long nanos) {
        Map.Entry<Long, Part> before = parts.lowerEntry(nanos);
        if (before != null && before.getValue().toNanos() > nanos) {
            Part whole = before.getValue();
            put(whole.within(whole.fromNanos(), nanos));
            put(whole.within(nanos, whole.toNanos()));
        }
    }

    /** In order. Of more than {@link #MOST_PARTS}, neighbours are put together: in each window, what is alike is one part, as long as those were together. */
    List<Part> parts() {
        List<Part> all = List.copyOf(parts.values());
        if (all.size() <= MOST_PARTS) {
            return all;
        }
        int kinds = (int) all.stream().map(Part::cause).distinct().count();
        int window = Math.ceilDiv(all.size() * kinds, MOST_PARTS);
        List<Part> fewer = new ArrayList<>();
        for (int from = 0; from < all.size(); from += window) {
            fewer.addAll(Part.together(all.subList(from, Math.min(all.size(), from + window))));
        }
        return fewer;
    }
}
