// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.autopsy;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Parts at random, with and without gaps. */
class SpansTest {
    private static final Cause[] CAUSES = {Cause.GC, Cause.LOCK, Cause.SYNC};
    private static final long LONGEST = 1_000;

    private final Random random = new Random(1);

    private List<Part> parts(int count) {
        List<Part> parts = new ArrayList<>();
        long at = 0;
        for (int i = 0; i < count; i++) {
            at += random.nextBoolean() ? 0 : random.nextLong(LONGEST);
            long until = at + 1 + random.nextLong(LONGEST);
            parts.add(new Part(CAUSES[random.nextInt(CAUSES.length)], i, at, until)); // each with a thread of its own
            at = until;
        }
        return parts;
    }

    private static Map<Cause, Long> nanos(List<Part> parts, long from, long to) {
        Map<Cause, Long> nanos = new EnumMap<>(Cause.class);
        parts.stream().map(part -> part.within(from, to)).filter(part -> part.nanos() > 0).forEach(part -> nanos.merge(part.cause(), part.nanos(), Long::sum));
        return nanos;
    }

    @Test
    void eachCauseHasItsTimeInAnySpanHoweverManyPartsItHas() {
        List<Part> parts = parts(20_000);
        Spans spans = new Spans(parts);
        long end = parts.getLast().toNanos();
        for (int i = 0; i < 200; i++) {
            long from = random.nextLong(end);
            long to = from + 1 + random.nextLong(i % 2 == 0 ? end - from : Math.min(end - from, 300 * LONGEST));
            TimeLine line = new TimeLine(Part.NO_THREAD, from, to);
            spans.lay(line, from, to);
            Map<Cause, Long> onLine = nanos(line.parts(), from, to);
            onLine.remove(Cause.UNEXPLAINED);
            assertEquals(nanos(parts, from, to), onLine, from + " to " + to);
        }
    }

    @Test
    void nothingLiesBetweenTwoTimesInTheWrongOrder() {
        Spans spans = new Spans(List.of(new Part(Cause.GC, 1, 100, 200), new Part(Cause.GC, 2, 300, 400)));
        TimeLine line = new TimeLine(Part.NO_THREAD, 0, 500);
        spans.lay(line, 350, 150);
        assertEquals(List.of(new Part(Cause.UNEXPLAINED, Part.NO_THREAD, 0, 500)), line.parts());
    }
}
