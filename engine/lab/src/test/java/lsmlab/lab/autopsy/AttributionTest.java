// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.autopsy;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import lsmlab.lab.process.ServerTrace;
import lsmlab.lab.process.ServerTrace.Served;
import lsmlab.lab.process.ServerTrace.Time;
import lsmlab.load.result.TracedRequests.Traced;
import org.junit.jupiter.api.Test;

/** Requests whose times are made up; times in microseconds. */
class AttributionTest {
    private static final int SELECTOR = 7;
    private static final long MICRO = 1_000;

    private final List<Served> requests = new ArrayList<>();
    private final List<ServerTrace.Event> events = new ArrayList<>();

    /** @param times pairs of a time and when it was passed */
    private void served(int port, int number, long readable, Object... times) {
        long[] nanos = new long[Time.values().length];
        Arrays.fill(nanos, Long.MIN_VALUE);
        for (int i = 0; i < times.length; i += 2) {
            nanos[((Time) times[i]).ordinal()] = (Integer) times[i + 1] * MICRO;
        }
        requests.add(new Served(port, number, SELECTOR, SELECTOR, 200, -1, readable * MICRO, nanos));
    }

    private void event(String kind, long from, long to, long thread) {
        events.add(new ServerTrace.Event(kind, "", from * MICRO, to * MICRO, thread));
    }

    /** Microseconds by cause. */
    private Map<Cause, Long> parts(int port, int number, long due, long free, long sent, long received) {
        Traced request = new Traced(port, number, 200, due * MICRO, free * MICRO, sent * MICRO, received * MICRO);
        List<Part> parts = new Attribution(new ServerTrace(requests, events)).of(request);
        long at = request.dueNanos();
        Map<Cause, Long> byCause = new TreeMap<>();
        for (Part part : parts) {
            assertEquals(at, part.fromNanos(), "without gaps: " + parts);
            at = part.toNanos();
            byCause.merge(part.cause(), part.nanos() / MICRO, Long::sum);
        }
        assertEquals(request.receivedNanos(), at, "to the nanosecond: " + parts);
        return byCause;
    }

    @Test
    void eachStageHasItsPart() {
        served(1, 1, 130, Time.WHOLE, 135, Time.STORE, 140, Time.STORED, 190, Time.ANSWERED, 195, Time.WRITTEN, 210);
        assertEquals(Map.of(Cause.BEHIND, 20L, Cause.GENERATOR, 5L, Cause.WIRE, 5L, Cause.READING, 5L, Cause.TABLES, 50L, Cause.ANSWERING, 15L, Cause.CLIENT, 30L, Cause.UNEXPLAINED, 10L),
                parts(1, 1, 100, 120, 125, 240));
        assertEquals(20, parts(2, 0, 100, 120, 125, 240).get(Cause.CONNECT), "the first of a connection waits for that");
    }

    @Test
    void theStepsOfAWriteFollowEachOther() {
        served(1, 0, 100, Time.WHOLE, 101, Time.WRITE, 102, Time.WRITE_QUEUE, 110, Time.WRITE_FULL_MEMTABLES, 900, Time.WRITE_FREEZE, 905, Time.WRITE_LOG, 915, Time.WRITE_SYNC, 965,
                Time.WRITE_MEMTABLE, 970, Time.STORED, 980, Time.ANSWERED, 981, Time.WRITTEN, 990);
        Map<Cause, Long> parts = parts(1, 0, 100, 0, 100, 990);
        assertEquals(790, parts.get(Cause.STALL_FLUSH));
        assertEquals(50, parts.get(Cause.SYNC));
        assertEquals(15, parts.get(Cause.LOG));
        assertEquals(18, parts.get(Cause.GROUP), "before its group began, and until its thread was awake");
    }

    /** It waits for what the other one waits for; what any request takes is "other requests before it". */
    @Test
    void aRequestThatWaitsForAnotherOneWaitsForItsCause() {
        served(1, 0, 100, Time.WHOLE, 101, Time.WRITE, 102, Time.WRITE_QUEUE, 103, Time.WRITE_FULL_MEMTABLES, 903, Time.WRITE_LOG, 933, Time.STORED, 934, Time.ANSWERED, 935, Time.WRITTEN, 940);
        served(2, 0, 945, Time.WHOLE, 946, Time.STORE, 946, Time.STORED, 950, Time.ANSWERED, 950, Time.WRITTEN, 955);
        Map<Cause, Long> parts = parts(2, 0, 203, 0, 203, 960);
        assertEquals(700, parts.get(Cause.STALL_FLUSH));
        assertEquals(37, parts.get(Cause.BEHIND));
        assertEquals(5, parts.get(Cause.WIRE));
    }

    /** Of the same connection: the one before was still under way when this one was due. */
    @Test
    void aRequestWhoseConnectionIsBusyWaitsForTheCauseOfTheOneBefore() {
        served(1, 0, 100, Time.WHOLE, 101, Time.WRITE, 102, Time.WRITE_QUEUE, 103, Time.WRITE_SYNC, 903, Time.STORED, 904, Time.ANSWERED, 905, Time.WRITTEN, 910);
        served(1, 1, 930, Time.WHOLE, 931, Time.STORE, 931, Time.STORED, 935, Time.ANSWERED, 935, Time.WRITTEN, 940);
        Map<Cause, Long> parts = parts(1, 1, 503, 920, 925, 945);
        assertEquals(400, parts.get(Cause.SYNC));
        assertEquals(17, parts.get(Cause.BEHIND));
    }

    /** The leader of a group waits for the disk; the others wait for the group. */
    @Test
    void aWriteThatWaitsForAGroupWaitsForItsCause() {
        served(1, 0, 100, Time.WHOLE, 101, Time.WRITE, 102, Time.WRITE_QUEUE, 103, Time.WRITE_SYNC, 903, Time.STORED, 904, Time.ANSWERED, 905, Time.WRITTEN, 910);
        served(2, 0, 500, Time.WHOLE, 501, Time.WRITE, 502, Time.WRITE_QUEUE, 906, Time.WRITE_LOG, 910, Time.STORED, 912, Time.ANSWERED, 913, Time.WRITTEN, 920);
        assertEquals(401, parts(2, 0, 500, 0, 500, 920).get(Cause.SYNC));
    }

    @Test
    void whatStopsTheProcessTakesThePlaceOfWhatItStopped() {
        served(1, 0, 100, Time.WHOLE, 101, Time.STORE, 102, Time.STORED, 802, Time.ANSWERED, 803, Time.WRITTEN, 810);
        event("STOPPED", 200, 500, 0);
        event("STARVED", 600, 650, SELECTOR);
        event("STARVED", 700, 750, SELECTOR + 1);
        event("GC", 520, 530, 0);
        Map<Cause, Long> parts = parts(1, 0, 100, 0, 100, 815);
        assertEquals(300, parts.get(Cause.STOPPED));
        assertEquals(50, parts.get(Cause.STARVED), "another thread's is no matter");
        assertEquals(10, parts.get(Cause.GC));
        assertEquals(340, parts.get(Cause.TABLES));
    }

    /** 20 ms between two stages that belong together by no name. */
    @Test
    void aDelayWhereNoTimeIsTakenIsUnexplained() {
        served(1, 0, 100, Time.WHOLE, 101, Time.STORE, 20_101, Time.STORED, 20_110, Time.ANSWERED, 20_111, Time.WRITTEN, 20_120);
        Map<Cause, Long> parts = parts(1, 0, 100, 0, 100, 20_125);
        assertEquals(20_001, parts.get(Cause.UNEXPLAINED));
    }

    @Test
    void anEarlierConnectionOverTheSamePortIsAnotherOne() {
        served(1, 0, 100, Time.WHOLE, 101, Time.STORE, 102, Time.STORED, 103, Time.ANSWERED, 104, Time.WRITTEN, 105);
        assertEquals(Map.of(Cause.UNEXPLAINED, 50L), parts(1, 0, 200, 0, 200, 250));
    }

    @Test
    void aRequestThatTheServerHasForgottenIsUnexplained() {
        assertEquals(Map.of(Cause.GENERATOR, 5L, Cause.UNEXPLAINED, 895L), parts(1, 0, 100, 0, 105, 1_000));
    }
}
