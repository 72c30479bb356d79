// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.autopsy;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import lsmlab.lab.process.ServerTrace;
import lsmlab.lab.process.ServerTrace.Served;
import lsmlab.lab.process.ServerTrace.Time;
import lsmlab.load.result.TracedRequests.Pause;
import lsmlab.load.result.TracedRequests.Traced;

/**
 * Divides the response time of a request among its causes. Where a request waits for another one that is stalled or paused, that is its cause, too. What every request takes, like
 * reading or a search, is counted as "other requests before it".
 */
final class Attribution {
    private record Key(int port, int number) {}

    private final Map<Key, Served> byKey = new HashMap<>();
    private final WriteSteps writes;
    private final ThreadWaits waits;
    private final Map<Integer, Spans> generators; // pauses of the generator's threads
    private final Map<Integer, Spans> selectors; // what each did, one request after the other
    private final Map<Integer, Spans> workers; // what those of a pool waited for
    private final Map<Integer, List<Served>> byPort;
    private final Map<Integer, Spans> connections = new HashMap<>(); // by port, those that were asked for: what the next requests of each waited for as well

    Attribution(ServerTrace trace, List<Pause> generatorPauses) {
        trace.requests().forEach(served -> byKey.put(new Key(served.port(), served.number()), served));
        byPort = trace.requests().stream().collect(Collectors.groupingBy(Served::port));
        writes = new WriteSteps(trace.requests());
        waits = new ThreadWaits(trace.events());
        generators = Spans.by(Pause::thread, generatorPauses.stream(), pause -> Stream.of(new Part(Cause.GENERATOR, Part.NO_THREAD, pause.fromNanos(), pause.toNanos())));
        selectors = Spans.by(Served::selector, trace.requests().stream(), this::keepsSelectorBusy);
        workers = Spans.by(Served::handler, trace.requests().stream().filter(served -> served.passed(Time.TAKEN)), this::keepsWorkerBusy);
    }

    /** The parts of a request's response time, in order: they add up to it. */
    List<Part> of(Traced request) {
        TimeLine line = new TimeLine(Part.NO_THREAD, request.dueNanos(), request.receivedNanos());
        Spans generator = generators.getOrDefault(request.thread(), Spans.NONE);
        long free = Math.max(request.dueNanos(), Math.min(request.freeNanos(), request.sentNanos()));
        line.lay(new Part(request.number() == 0 ? Cause.CONNECT : Cause.BEHIND, Part.NO_THREAD, request.dueNanos(), free));
        if (request.dueNanos() < free) {
            connections.computeIfAbsent(request.port(), port -> connection(port, generator)).lay(line, request.dueNanos(), free);
        }
        line.lay(new Part(Cause.GENERATOR, Part.NO_THREAD, free, request.sentNanos()));
        generator.lay(line, answeredBefore(request.port(), request.number(), request.number() == 0 ? request.dueNanos() : free), request.sentNanos());
        Served served = served(request);
        if (served != null) {
            waiting(served, request.sentNanos()).forEach(line::lay);
            handled(served).forEach(line::lay);
            line.lay(new Part(Cause.CLIENT, Part.NO_THREAD, served.at(Time.WRITTEN), request.receivedNanos()));
            generator.lay(line, served.at(Time.WRITTEN), request.receivedNanos());
        }
        return line.parts();
    }

    /** What requests of a connection wait for while it has another one. WHY of all requests at once: behind a backlog, each of thousands waits for thousands. */
    private Spans connection(int port, Spans generator) {
        return new Spans(byPort.getOrDefault(port, List.of()).stream().flatMap(served -> passedOn(served, generator)).toList());
    }

    /** When the server had answered the request before this one on its connection. */
    private long answeredBefore(int port, int number, long otherwise) {
        Served before = byKey.get(new Key(port, number - 1));
        return before == null ? otherwise : before.at(Time.WRITTEN);
    }

    /** As its server knows it; null if that has forgotten it. One of an earlier connection over the same port is another one. */
    Served served(Traced request) {
        Served served = byKey.get(new Key(request.port(), request.number()));
        return served != null && served.readableNanos() < request.receivedNanos() && served.at(Time.WRITTEN) > request.sentNanos() ? served : null;
    }

    /** What the next request of its connection waits for as well. A pause of the generator counts only while the server had nothing to answer. */
    private Stream<Part> passedOn(Served served, Spans generator) {
        long from = answeredBefore(served.port(), served.number(), served.readableNanos());
        TimeLine line = new TimeLine(Part.NO_THREAD, from, served.at(Time.WRITTEN));
        waiting(served, from).forEach(line::lay);
        handled(served).forEach(line::lay);
        generator.lay(line, from, served.readableNanos());
        return line.parts().stream().filter(part -> part.cause() == Cause.GENERATOR || part.cause().isPassedOn());
    }

    /** From when it was sent until its selector read it. */
    private List<Part> waiting(Served served, long sentNanos) {
        TimeLine line = new TimeLine(served.selector(), sentNanos, Math.max(sentNanos, served.readableNanos()));
        line.lay(new Part(Cause.WIRE, served.selector(), sentNanos, served.readableNanos()));
        selectors.get(served.selector()).lay(line, sentNanos, served.readableNanos());
        waits.lay(line, served.selector(), sentNanos, served.readableNanos());
        line.parts().stream().filter(part -> part.cause() == Cause.WIRE).reduce((_, last) -> last).ifPresent(asleep -> waits.layWakeUp(line, served.selector(), asleep));
        return line.parts();
    }

    /** What others wait for that come to the same selector meanwhile. */
    private Stream<Part> keepsSelectorBusy(Served served) {
        return byItsTimes(served).stream().map(part -> part.within(served.readableNanos(), busyUntil(served)))
                .map(part -> part.cause().isPassedOn() ? part : new Part(Cause.BEHIND, served.selector(), part.fromNanos(), part.toNanos()));
    }

    /** When the selector had done with a request: when its handler had, or when it was read for a worker. */
    private static long busyUntil(Served served) {
        return served.selector() == served.handler() ? handledUntil(served) : served.at(Time.WHOLE);
    }

    /** When the handler had done with a request: when it was written, or when others were asked and this node had answered. WHY not later: their replies come to other threads. */
    private static long handledUntil(Served served) {
        return served.passed(Time.ASKED) ? Math.max(served.at(Time.ASKED), served.at(Time.STORED)) : served.at(Time.WRITTEN);
    }

    /** What a request waits for in the queue that this worker takes next. */
    private Stream<Part> keepsWorkerBusy(Served served) {
        return byItsTimes(served).stream().map(part -> part.within(served.at(Time.TAKEN), handledUntil(served))).filter(part -> part.cause().isPassedOn());
    }

    /** From when it was read until its answer was written. */
    private List<Part> handled(Served served) {
        List<Part> parts = byItsTimes(served);
        if (!served.passed(Time.TAKEN)) {
            return parts;
        }
        TimeLine line = new TimeLine(served.handler(), served.readableNanos(), served.at(Time.WRITTEN));
        parts.forEach(line::lay);
        workers.get(served.handler()).lay(line, served.at(Time.WHOLE), served.at(Time.TAKEN));
        return line.parts();
    }

    /** The same without what the worker did before. */
    private List<Part> byItsTimes(Served served) {
        TimeLine line = new TimeLine(served.handler(), served.readableNanos(), served.at(Time.WRITTEN));
        line.lay(new Part(Cause.READING, served.selector(), served.readableNanos(), served.at(Time.WHOLE)));
        lay(line, Cause.QUEUE, "", served, Time.WHOLE, Time.TAKEN);
        lay(line, Cause.REPLICA, "node " + served.node(), served, Time.ASKED, Time.REPLIED);
        lay(line, Cause.TABLES, "", served, Time.STORE, Time.STORED);
        writes.lay(line, served);
        lay(line, Cause.ANSWERING, "", served, Time.ANSWERED, Time.WRITTEN);
        long taken = served.passed(Time.TAKEN) ? served.at(Time.TAKEN) : served.readableNanos();
        waits.lay(line, Part.NO_THREAD, served.readableNanos(), taken); // in the queue only what keeps all threads from going on
        waits.lay(line, served.handler(), taken, served.at(Time.WRITTEN));
        return line.parts();
    }

    private static void lay(TimeLine line, Cause cause, String detail, Served served, Time from, Time to) {
        if (served.passed(from) && served.passed(to)) {
            line.lay(new Part(cause, detail, served.handler(), served.at(from), served.at(to)));
        }
    }
}
