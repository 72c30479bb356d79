// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.autopsy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import lsmlab.lab.process.ServerTrace;
import lsmlab.lab.process.ServerTrace.Served;
import lsmlab.lab.process.ServerTrace.Time;
import lsmlab.load.result.TracedRequests.Pause;
import lsmlab.load.result.TracedRequests.Traced;
import org.junit.jupiter.api.Test;

/** Requests whose times are made up; times in microseconds. */
class AttributionTest {
    private static final int SELECTOR = 7;
    private static final int WORKER = 8;
    private static final long MICRO = 1_000;

    private final List<Served> requests = new ArrayList<>();
    private int selector = SELECTOR;
    private final List<ServerTrace.Event> events = new ArrayList<>();
    private final List<Pause> pauses = new ArrayList<>();

    /** @param times pairs of a time and when it was passed */
    private void served(int port, int number, long readable, Object... times) {
        long[] nanos = new long[Time.values().length];
        Arrays.fill(nanos, Long.MIN_VALUE);
        for (int i = 0; i < times.length; i += 2) {
            nanos[((Time) times[i]).ordinal()] = (Integer) times[i + 1] * MICRO;
        }
        int handler = nanos[Time.TAKEN.ordinal()] == Long.MIN_VALUE ? selector : WORKER;
        requests.add(new Served(port, number, selector, handler, 200, -1, readable * MICRO, nanos));
    }

    private void event(String kind, long from, long to, long thread) {
        event(kind, from, to, thread, to - from);
    }

    private void event(String kind, long from, long to, long thread, long lost) {
        events.add(new ServerTrace.Event(kind, "", from * MICRO, to * MICRO, thread, lost * MICRO));
    }

    /** Microseconds by cause. */
    private Map<Cause, Long> parts(int port, int number, long due, long free, long sent, long received) {
        Traced request = new Traced(0, port, number, 200, due * MICRO, free * MICRO, sent * MICRO, received * MICRO);
        List<Part> parts = new Attribution(new ServerTrace(0, 0, requests, events, List.of(), List.of(), List.of()), pauses).of(request);
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
        served(2, 0, 970, Time.WHOLE, 971, Time.STORE, 971, Time.STORED, 975, Time.ANSWERED, 975, Time.WRITTEN, 980);
        Map<Cause, Long> parts = parts(2, 0, 203, 0, 203, 985);
        assertEquals(700, parts.get(Cause.STALL_FLUSH));
        assertEquals(37, parts.get(Cause.BEHIND));
        assertEquals(30, parts.get(Cause.WIRE), "the selector had gone to sleep");
    }

    /** Of the same connection: the one before was still under way when this one was due. */
    @Test
    void aRequestWhoseConnectionIsBusyWaitsForTheCauseOfTheOneBefore() {
        served(1, 0, 100, Time.WHOLE, 101, Time.WRITE, 102, Time.WRITE_QUEUE, 103, Time.WRITE_SYNC, 903, Time.STORED, 904, Time.ANSWERED, 905, Time.WRITTEN, 910);
        served(1, 1, 950, Time.WHOLE, 951, Time.STORE, 951, Time.STORED, 955, Time.ANSWERED, 955, Time.WRITTEN, 960);
        Map<Cause, Long> parts = parts(1, 1, 503, 920, 925, 965);
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

    /** The system says how long a thread waited between two looks, not when; the selector's wait ended when it read the request. */
    @Test
    void aSelectorThatIsWokenAndGetsNoProcessorIsStarved() {
        served(1, 0, 5_000, Time.WHOLE, 5_001, Time.STORE, 5_001, Time.STORED, 5_005, Time.ANSWERED, 5_005, Time.WRITTEN, 5_010);
        served(2, 0, 5_010, Time.WHOLE, 5_011, Time.STORE, 5_011, Time.STORED, 5_015, Time.ANSWERED, 5_015, Time.WRITTEN, 5_020);
        event("STARVED", 1_000, 9_000, SELECTOR, 3_000);
        assertEquals(Map.of(Cause.WIRE, 1_500L, Cause.STARVED, 3_000L), waits(parts(1, 0, 500, 0, 500, 5_010)));
        assertEquals(Map.of(Cause.STARVED, 800L), waits(parts(1, 0, 4_200, 0, 4_200, 5_010)));
        assertEquals(Map.of(Cause.BEHIND, 10L, Cause.WIRE, 1_500L, Cause.STARVED, 3_000L), waits(parts(2, 0, 500, 0, 500, 5_020)), "the first one that was read woke it");
        event("STARVED", 9_000, 17_000, SELECTOR, 3_000);
        served(3, 0, 17_500, Time.WHOLE, 17_501, Time.STORE, 17_501, Time.STORED, 17_505, Time.ANSWERED, 17_505, Time.WRITTEN, 17_510);
        assertEquals(Map.of(Cause.WIRE, 500L), waits(parts(3, 0, 17_000, 0, 17_000, 17_510)), "it waited before");
    }

    private static Map<Cause, Long> waits(Map<Cause, Long> parts) {
        parts.keySet().retainAll(Set.of(Cause.WIRE, Cause.STARVED, Cause.BEHIND));
        return parts;
    }

    /** 20 ms between two stages that belong together by no name. */
    @Test
    void aDelayWhereNoTimeIsTakenIsUnexplained() {
        served(1, 0, 100, Time.WHOLE, 101, Time.STORE, 20_101, Time.STORED, 20_110, Time.ANSWERED, 20_111, Time.WRITTEN, 20_120);
        Map<Cause, Long> parts = parts(1, 0, 100, 0, 100, 20_125);
        assertEquals(20_001, parts.get(Cause.UNEXPLAINED));
    }

    /** One worker: it is held up by a lock in one request while the next one waits in the queue. */
    @Test
    void aRequestInTheQueueWaitsForTheCauseOfTheOneThatTheWorkerHas() {
        served(1, 0, 100, Time.WHOLE, 101, Time.TAKEN, 110, Time.STORE, 111, Time.STORED, 900, Time.ANSWERED, 901, Time.WRITTEN, 905);
        served(2, 0, 200, Time.WHOLE, 201, Time.TAKEN, 910, Time.STORE, 911, Time.STORED, 915, Time.ANSWERED, 916, Time.WRITTEN, 920);
        event("LOCK", 120, 820, WORKER);
        Map<Cause, Long> parts = parts(2, 0, 200, 0, 200, 920);
        assertEquals(619, parts.get(Cause.LOCK));
        assertEquals(90, parts.get(Cause.QUEUE), "until the worker had done with the rest of it");
    }

    @Test
    void aGeneratorThatIsLateIsItsOwnCause() {
        served(1, 0, 100, Time.WHOLE, 101, Time.STORE, 101, Time.STORED, 105, Time.ANSWERED, 105, Time.WRITTEN, 110);
        served(1, 1, 912, Time.WHOLE, 913, Time.STORE, 913, Time.STORED, 915, Time.ANSWERED, 915, Time.WRITTEN, 920);
        pauses.add(new Pause(0, 105 * MICRO, 905 * MICRO));
        pauses.add(new Pause(1, 900 * MICRO, 1_000 * MICRO));
        assertEquals(800, parts(1, 0, 90, 0, 95, 906).get(Cause.GENERATOR), "it was sent 5 us late, and then its answer was there and nobody read it");
        Map<Cause, Long> next = parts(1, 1, 405, 908, 910, 925);
        assertEquals(502, next.get(Cause.GENERATOR), "it was due while the generator did nothing, and sent 2 us late");
        assertEquals(3, next.get(Cause.BEHIND));
    }

    /** The pause delayed nothing: the connection waited for the server all the time. */
    @Test
    void aPauseOfTheGeneratorWhileTheServerIsStalledIsNoCause() {
        served(1, 0, 100, Time.WHOLE, 101, Time.WRITE, 102, Time.WRITE_QUEUE, 103, Time.WRITE_SYNC, 903, Time.STORED, 904, Time.ANSWERED, 905, Time.WRITTEN, 910);
        served(1, 1, 950, Time.WHOLE, 951, Time.STORE, 951, Time.STORED, 955, Time.ANSWERED, 955, Time.WRITTEN, 960);
        pauses.add(new Pause(0, 550 * MICRO, 850 * MICRO));
        Map<Cause, Long> parts = parts(1, 1, 503, 920, 920, 965);
        assertEquals(400, parts.get(Cause.SYNC));
        assertEquals(null, parts.get(Cause.GENERATOR));
    }

    /** The selector turns from one to the next without a rest. */
    @Test
    void aBacklogIsOneTimeBehindOthersHoweverLongItIs() {
        int before = 5_000;
        for (int i = 0; i < before; i++) {
            int at = 100 + 20 * i;
            served(i + 2, 0, at, Time.WHOLE, at + 1, Time.STORE, at + 1, Time.STORED, at + 9, Time.ANSWERED, at + 9, Time.WRITTEN, at + 10);
        }
        int at = 100 + 20 * before;
        served(1, 0, at, Time.WHOLE, at + 1, Time.STORE, at + 1, Time.STORED, at + 9, Time.ANSWERED, at + 9, Time.WRITTEN, at + 10);
        Map<Cause, Long> parts = parts(1, 0, 100, 0, 100, at + 15);
        assertEquals(Map.of(Cause.BEHIND, 20L * before, Cause.READING, 1L, Cause.TABLES, 8L, Cause.ANSWERING, 1L, Cause.CLIENT, 5L), parts);
    }

    @Test
    void aRequestHasFewPartsHoweverManyItWaitedFor() {
        for (int i = 0; i < 2_000; i++) {
            int at = 100 + 200 * i;
            selector = SELECTOR + i; // as if each had a thread of its own
            served(1, i, at, Time.WHOLE, at + 1, Time.WRITE, at + 1, Time.WRITE_QUEUE, at + 2, Time.WRITE_SYNC, at + 150, Time.STORED, at + 151, Time.ANSWERED, at + 151, Time.WRITTEN, at + 155);
        }
        Traced last = new Traced(0, 1, 1_999, 200, 100 * MICRO, 399_860 * MICRO, 399_870 * MICRO, 400_060 * MICRO);
        List<Part> parts = new Attribution(new ServerTrace(0, 0, requests, events, List.of(), List.of(), List.of()), pauses).of(last);
        assertTrue(parts.size() <= 250, parts.size() + " parts");
        assertEquals(last.responseNanos(), parts.stream().mapToLong(Part::nanos).sum());
        assertEquals(2_000 * 148 * MICRO, parts.stream().filter(part -> part.cause() == Cause.SYNC).mapToLong(Part::nanos).sum(), 148.0 * MICRO);
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
