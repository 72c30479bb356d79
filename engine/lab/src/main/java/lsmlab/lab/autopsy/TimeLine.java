// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.autopsy;

import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * A span of time that is divided into parts without gaps or overlaps. It begins as one unexplained part; what is laid over it takes the place of what was there.
 */
final class TimeLine {
    private final long toNanos;
    private final NavigableMap<Long, Part> parts = new TreeMap<>(); // by their beginning

    TimeLine(long fromNanos, long toNanos) {
        this.toNanos = toNanos;
        put(new Part(Cause.UNEXPLAINED, fromNanos, toNanos));
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

    /** In order. */
    List<Part> parts() {
        return List.copyOf(parts.values());
    }
}
