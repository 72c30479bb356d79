// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.autopsy;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Parts of time that do not overlap, in order, found by when they are. */
final class Spans {
    static final Spans NONE = new Spans(List.of());
    /** A selector that is busy turns from one request to the next this fast, or faster; one that has slept takes longer to wake up. */
    private static final long NEXT_REQUEST_NANOS = 10_000;

    private final List<Part> parts = new ArrayList<>();

    /** @param all in any order; where two overlap, the time belongs to the one that begins first */
    Spans(List<Part> all) {
        all.stream().sorted(Comparator.comparingLong(Part::fromNanos)).forEach(this::append);
    }

    /** Of each thread its own. */
    static <T, K> Map<K, Spans> by(Function<T, K> thread, Stream<T> all, Function<T, Stream<Part>> parts) {
        return all.collect(Collectors.groupingBy(thread, Collectors.collectingAndThen(Collectors.flatMapping(parts, Collectors.toList()), Spans::new)));
    }

    private void append(Part next) {
        Part last = parts.isEmpty() ? null : parts.getLast();
        Part part = last == null ? next : next.within(last.toNanos(), next.toNanos());
        if (last != null && last.isLike(part) && part.fromNanos() - last.toNanos() <= (part.cause() == Cause.BEHIND ? NEXT_REQUEST_NANOS : 0)) {
            parts.set(parts.size() - 1, new Part(last.cause(), last.detail(), last.thread(), last.fromNanos(), Math.max(last.toNanos(), part.toNanos())));
        } else if (part.nanos() > 0) {
            parts.add(part);
        }
    }

    /** Lays what lies between two times over the line. */
    void lay(TimeLine line, long fromNanos, long toNanos) {
        for (int i = firstEndingAfter(fromNanos); i < parts.size() && parts.get(i).fromNanos() < toNanos; i++) {
            line.lay(parts.get(i).within(fromNanos, toNanos));
        }
    }

    private int firstEndingAfter(long nanos) {
        int low = 0;
        int high = parts.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (parts.get(middle).toNanos() <= nanos) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }
}
