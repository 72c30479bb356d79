// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.autopsy;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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

    private final List<Map<Long, Spans>> kinds; // of each kind, by thread

    ThreadWaits(List<ServerTrace.Event> events) {
        kinds = KINDS.entrySet().stream().map(kind -> byThread(events, kind.getKey(), kind.getValue())).toList();
    }

    private static Map<Long, Spans> byThread(List<ServerTrace.Event> events, String kind, Cause cause) {
        return Spans.by(ServerTrace.Event::thread, events.stream().filter(event -> event.kind().equals(kind)),
                event -> Stream.of(new Part(cause, event.what(), event.thread(), event.fromNanos(), event.toNanos())));
    }

    /** Lays what kept a thread from going on between two times over the line. */
    void lay(TimeLine line, long thread, long fromNanos, long toNanos) {
        for (Map<Long, Spans> kind : kinds) {
            kind.getOrDefault(thread, Spans.NONE).lay(line, fromNanos, toNanos);
            kind.getOrDefault(EVERY_THREAD, Spans.NONE).lay(line, fromNanos, toNanos);
        }
    }
}
