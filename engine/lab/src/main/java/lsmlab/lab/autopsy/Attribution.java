// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.autopsy;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import lsmlab.lab.process.ServerTrace;
import lsmlab.lab.process.ServerTrace.Served;
import lsmlab.lab.process.ServerTrace.Time;
import lsmlab.load.result.TracedRequests.Traced;

/**
 * Divides the response time of a request among its causes. Where a request waits for another one that is stalled or paused, that is its cause, too. What every request takes, like
 * reading or a search, is counted as "other requests before it".
 */
final class Attribution {
    /** The steps of a write, in order, and what each is. */
    private static final Map<Time, Cause> STEPS = new EnumMap<>(Time.class);
    /** Kinds of events that stop threads, the more exactly known last: a thread that sleeps through a pause of the JVM seems to be stopped, too. */
    private static final Map<String, Cause> PAUSES = new LinkedHashMap<>();

    static {
        PAUSES.put("STOPPED", Cause.STOPPED);
        PAUSES.put("STARVED", Cause.STARVED);
        PAUSES.put("SAFEPOINT", Cause.SAFEPOINT);
        PAUSES.put("GC", Cause.GC);
        STEPS.put(Time.WRITE_QUEUE, Cause.GROUP);
        STEPS.put(Time.WRITE_THROTTLE, Cause.THROTTLE);
        STEPS.put(Time.WRITE_FULL_MEMTABLES, Cause.STALL_FLUSH);
        STEPS.put(Time.WRITE_COMPACTION_BEHIND, Cause.STALL_COMPACTION);
        STEPS.put(Time.WRITE_FREEZE, Cause.LOG);
        STEPS.put(Time.WRITE_LOG, Cause.LOG);
        STEPS.put(Time.WRITE_SYNC, Cause.SYNC);
        STEPS.put(Time.WRITE_REGISTER, Cause.LOG);
        STEPS.put(Time.WRITE_MEMTABLE, Cause.MEMTABLE);
    }

    private record Key(int port, int number) {}

    private static final long EVERY_THREAD = 0;

    private final Map<Key, Served> byKey = new HashMap<>();
    private final Map<Integer, List<Served>> bySelector = new HashMap<>(); // in the order in which they were read
    private final Spans groupWaits; // what leaders of commit groups waited for
    private final Map<Long, Spans> locks; // by thread
    private final List<Map<Long, Spans>> pauses; // of each kind, by thread
    private final Map<Served, List<Part>> handled = new IdentityHashMap<>(); // what was found so far
    private final Map<Served, List<Part>> passedOn = new IdentityHashMap<>();

    Attribution(ServerTrace trace) {
        List<Part> waits = new ArrayList<>();
        for (Served served : trace.requests()) {
            byKey.put(new Key(served.port(), served.number()), served);
            bySelector.computeIfAbsent(served.selector(), _ -> new ArrayList<>()).add(served);
            steps(served).stream().filter(part -> part.cause().isPassedOn()).forEach(waits::add);
        }
        bySelector.values().forEach(list -> list.sort(Comparator.comparingLong(Served::readableNanos)));
        groupWaits = new Spans(waits);
        locks = byThread(trace, "MONITOR", Cause.LOCK);
        pauses = PAUSES.entrySet().stream().map(pause -> byThread(trace, pause.getKey(), pause.getValue())).toList();
    }

    private static Map<Long, Spans> byThread(ServerTrace trace, String kind, Cause cause) {
        Map<Long, List<Part>> parts = new HashMap<>();
        for (ServerTrace.Event event : trace.events()) {
            if (event.kind().equals(kind)) {
                parts.computeIfAbsent(event.thread(), _ -> new ArrayList<>()).add(new Part(cause, event.what(), event.fromNanos(), event.toNanos()));
            }
        }
        Map<Long, Spans> spans = new HashMap<>();
        parts.forEach((thread, own) -> spans.put(thread, new Spans(own)));
        return spans;
    }

    /** The parts of a request's response time, in order: they add up to it. */
    List<Part> of(Traced request) {
        TimeLine line = new TimeLine(request.dueNanos(), request.receivedNanos());
        long free = Math.max(request.dueNanos(), Math.min(request.freeNanos(), request.sentNanos()));
        line.lay(new Part(request.number() == 0 ? Cause.CONNECT : Cause.BEHIND, request.dueNanos(), free));
        line.lay(new Part(Cause.GENERATOR, free, request.sentNanos()));
        Served served = served(request);
        if (served == null) {
            return line.parts();
        }
        for (int before = request.number() - 1; before >= 0; before--) {
            Served earlier = byKey.get(new Key(request.port(), before));
            if (earlier == null || earlier.at(Time.WRITTEN) <= request.dueNanos()) {
                break;
            }
            passedOn.computeIfAbsent(earlier, this::passedOn).forEach(part -> line.lay(part.within(request.dueNanos(), free)));
        }
        waiting(served, request.sentNanos()).forEach(line::lay);
        handled(served).forEach(line::lay);
        line.lay(new Part(Cause.CLIENT, served.at(Time.WRITTEN), request.receivedNanos()));
        return line.parts();
    }

    /** As its server knows it; null if that has forgotten it. One of an earlier connection over the same port is another one. */
    Served served(Traced request) {
        Served served = byKey.get(new Key(request.port(), request.number()));
        return served != null && served.readableNanos() < request.receivedNanos() && served.at(Time.WRITTEN) > request.sentNanos() ? served : null;
    }

    /** What the next request of a connection waits for as well. */
    private List<Part> passedOn(Served served) {
        Served previous = byKey.get(new Key(served.port(), served.number() - 1));
        List<Part> parts = new ArrayList<>(waiting(served, previous == null ? served.readableNanos() : previous.at(Time.WRITTEN)));
        parts.addAll(handled(served));
        return parts.stream().filter(part -> part.cause().isPassedOn()).toList();
    }

    /** From when it was sent until its selector read it. */
    private List<Part> waiting(Served served, long sentNanos) {
        TimeLine line = new TimeLine(sentNanos, Math.max(sentNanos, served.readableNanos()));
        line.lay(new Part(Cause.WIRE, sentNanos, served.readableNanos()));
        List<Served> same = bySelector.get(served.selector());
        int place = Collections.binarySearch(same, served, Comparator.comparingLong(Served::readableNanos));
        for (int i = place - 1; i >= 0 && busyUntil(same.get(i)) > sentNanos; i--) { // a selector does one after the other
            Served other = same.get(i);
            for (Part part : handled(other)) {
                Part busy = part.within(other.readableNanos(), busyUntil(other));
                line.lay(busy.cause().isPassedOn() ? busy : new Part(Cause.BEHIND, busy.fromNanos(), busy.toNanos()));
            }
        }
        layPauses(line, served.selector(), sentNanos, served.readableNanos());
        return line.parts();
    }

    /** When the selector had done with a request: when it was written, or read for a worker, or when others were asked and this node had answered. */
    private static long busyUntil(Served served) {
        if (served.selector() != served.handler()) {
            return served.at(Time.WHOLE);
        }
        return served.passed(Time.ASKED) ? Math.max(served.at(Time.ASKED), served.at(Time.STORED)) : served.at(Time.WRITTEN);
    }

    /** From when it was read until its answer was written. */
    private List<Part> handled(Served served) {
        return handled.computeIfAbsent(served, this::divided);
    }

    private List<Part> divided(Served served) {
        TimeLine line = new TimeLine(served.readableNanos(), served.at(Time.WRITTEN));
        line.lay(new Part(Cause.READING, served.readableNanos(), served.at(Time.WHOLE)));
        lay(line, Cause.QUEUE, "", served, Time.WHOLE, Time.TAKEN);
        lay(line, Cause.REPLICA, "node " + served.node(), served, Time.ASKED, Time.REPLIED);
        lay(line, Cause.TABLES, "", served, Time.STORE, Time.STORED);
        steps(served).forEach(line::lay);
        if (served.passed(Time.WRITE_QUEUE)) {
            groupWaits.lay(line, served.at(Time.WRITE), served.at(Time.WRITE_QUEUE)); // it waits for what the groups before its own wait for
        }
        lay(line, Cause.ANSWERING, "", served, Time.ANSWERED, Time.WRITTEN);
        locks.getOrDefault((long) served.handler(), Spans.NONE).lay(line, served.readableNanos(), served.at(Time.WRITTEN));
        layPauses(line, served.handler(), served.readableNanos(), served.at(Time.WRITTEN));
        return line.parts();
    }

    private static void lay(TimeLine line, Cause cause, String detail, Served served, Time from, Time to) {
        if (served.passed(from) && served.passed(to)) {
            line.lay(new Part(cause, detail, served.at(from), served.at(to)));
        }
    }

    private List<Part> steps(Served served) {
        if (!served.passed(Time.WRITE)) {
            return List.of();
        }
        List<Part> steps = new ArrayList<>();
        long from = served.at(Time.WRITE);
        for (Map.Entry<Time, Cause> step : STEPS.entrySet()) {
            if (served.passed(step.getKey())) {
                steps.add(new Part(step.getValue(), from, served.at(step.getKey())));
                from = served.at(step.getKey());
            }
        }
        if (served.passed(Time.STORED)) {
            steps.add(new Part(Cause.GROUP, from, served.at(Time.STORED))); // until its thread was woken
        }
        return steps;
    }

    private void layPauses(TimeLine line, long thread, long fromNanos, long toNanos) {
        for (Map<Long, Spans> pause : pauses) {
            pause.getOrDefault(thread, Spans.NONE).lay(line, fromNanos, toNanos);
            pause.getOrDefault(EVERY_THREAD, Spans.NONE).lay(line, fromNanos, toNanos);
        }
    }
}
