// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.autopsy;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import lsmlab.lab.process.ServerTrace;

/** What kept the server's threads from going on, as recorded: waits for locks, pauses of the JVM, a process without processors. */
final class ThreadWaits {
    private static final long EVERY_THREAD = 0;
    /** Kinds of events, the more exactly known last: a thread that sleeps through a pause of the JVM seems to be stopped, too. */
    private static final Map<String, Cause> KINDS = new LinkedHashMap<>();

    static {
        KINDS.put("LOCK", Cause.LOCK);
        KINDS.put("STOPPED", Cause.STOPPED);
        KINDS.put("STARVED", Cause.STARVED);
        KINDS.put("SAFEPOINT", Cause.SAFEPOINT);
        KINDS.put("GC", Cause.GC);
    }

    /** An event counts from its beginning to its end if at least this share of it was lost. If less was lost, its place in that time is not known. */
    private static final double MOST = 0.5;

    private final List<Map<Long, Spans>> kinds; // of each kind, by thread
    private final Map<Long, TreeMap<Long, ServerTrace.Event>> starved; // by thread, by their ends

    ThreadWaits(List<ServerTrace.Event> events) {
        List<ServerTrace.Event> lost = events.stream().filter(event -> event.lostNanos() >= MOST * (event.toNanos() - event.fromNanos())).toList();
        kinds = KINDS.entrySet().stream().map(kind -> byThread(lost, kind.getKey(), kind.getValue())).toList();
        starved = events.stream().filter(event -> KINDS.get(event.kind()) == Cause.STARVED)
                .collect(Collectors.groupingBy(ServerTrace.Event::thread, Collectors.toMap(ServerTrace.Event::toNanos, event -> event, (_, last) -> last, TreeMap::new)));
    }

    private static Map<Long, Spans> byThread(List<ServerTrace.Event> events, String kind, Cause cause) {
        return Spans.by(ServerTrace.Event::thread, events.stream().filter(event -> event.kind().equals(kind)),
                event -> Stream.of(new Part(cause, event.what(), event.thread(), event.fromNanos(), event.toNanos())));
    }

    /** Lays over the end of a thread's sleep how long it waited for a processor when it was woken: it has worked since, so its wait ended then. */
    void layWakeUp(TimeLine line, long thread, Part asleep) {
        Map.Entry<Long, ServerTrace.Event> found = starved.containsKey(thread) ? starved.get(thread).ceilingEntry(asleep.toNanos()) : null;
        if (found != null && found.getValue().fromNanos() < asleep.toNanos()) {
            line.lay(new Part(Cause.STARVED, thread, Math.max(asleep.fromNanos(), asleep.toNanos() - found.getValue().lostNanos()), asleep.toNanos()));
        }
    }

    /** Lays what kept a thread from going on between two times over the line. */
    void lay(TimeLine line, long thread, long fromNanos, long toNanos) {
        for (Map<Long, Spans> kind : kinds) {
            kind.getOrDefault(thread, Spans.NONE).lay(line, fromNanos, toNanos);
            kind.getOrDefault(EVERY_THREAD, Spans.NONE).lay(line, fromNanos, toNanos);
        }
    }
}
