// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.autopsy;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Parts of time that do not overlap, in order, found by when they are. */
final class Spans {
    static final Spans NONE = new Spans(List.of());
    /** A selector that is busy turns from one request to the next this fast, or faster; one that has slept takes longer to wake up. */
    private static final long NEXT_REQUEST_NANOS = 10_000;

    private static final int MANY = 200;
    private static final int WINDOW = 20;

    private final List<Part> parts = new ArrayList<>();
    private Spans fewer; // each window's parts put together; made when it is first needed

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

    /**
     * Lays what lies between two times over the line. Of very many parts, neighbours are put together, as long as they were. WHY: behind a backlog, each of thousands of requests waits
     * for thousands.
     */
    void lay(TimeLine line, long fromNanos, long toNanos) {
        int first = firstWith(Part::toNanos, fromNanos + 1);
        int end = firstWith(Part::fromNanos, toNanos);
        if (end - first <= MANY) {
            lay(line, first, Math.max(first, end), fromNanos, toNanos); // the times may be in the wrong order: then nothing lies between
            return;
        }
        int whole = (first / WINDOW + 1) * WINDOW; // windows of parts that lie in this time wholly
        int wholeEnd = (end - 1) / WINDOW * WINDOW;
        lay(line, first, whole, fromNanos, toNanos);
        fewer().lay(line, parts.get(whole).fromNanos(), parts.get(wholeEnd).fromNanos());
        lay(line, wholeEnd, end, fromNanos, toNanos);
    }

    private void lay(TimeLine line, int first, int end, long fromNanos, long toNanos) {
        parts.subList(first, end).forEach(part -> line.lay(part.within(fromNanos, toNanos)));
    }

    private Spans fewer() {
        if (fewer == null) {
            fewer = new Spans(IntStream.range(0, parts.size() / WINDOW).boxed()
                    .flatMap(window -> Part.together(parts.subList(window * WINDOW, (window + 1) * WINDOW)).stream()).toList());
        }
        return fewer;
    }

    /** The first part with such a time of at least this; how many there are if none has. */
    private int firstWith(ToLongFunction<Part> time, long atLeast) {
        int low = 0;
        int high = parts.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (time.applyAsLong(parts.get(middle)) < atLeast) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }
}
