// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.grading;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import lsmlab.lab.autopsy.Autopsy;
import lsmlab.lab.environment.Json;
import lsmlab.lab.environment.Project;
import lsmlab.lab.measure.Generator;
import lsmlab.lab.measure.Load;
import lsmlab.lab.measure.Run;
import lsmlab.lab.measure.RunTraces;
import lsmlab.lab.process.Server;
import lsmlab.lab.process.ServerBuilder;
import lsmlab.lab.process.ServerTrace;
import lsmlab.load.result.TracedRequests;
import lsmlab.load.result.TracedRequests.Traced;
import lsmlab.storage.stats.StallCause;

/**
 * Makes the recordings of assignment 7, with real servers and real faults, and writes them where the next build finds them. It prints the causes, which belong into the hidden tests of
 * the assignment, in the same order.
 */
final class TailRecorder {
    private static final String STOPPED = "process stopped";
    private static final String GENERATOR = "load generator paused";
    private static final String MEMTABLES = "stall of writes, all memtables full";
    private static final String RUNS = "stall of writes, too many runs";
    private static final Duration GENERATOR_AFTER = Duration.ofMillis(2_500); // its JVM starts, and warms up, before
    private static final Map<String, String> NAMES = Map.of("FLUSH", "flush", "COMPACTION", "compaction", "GC", "pause of the garbage collector", "SAFEPOINT", "another pause of the JVM",
            "STOPPED", STOPPED, "STARVED", "no processor was free", "LOCK", "a lock");
    private static final int MOST_REQUESTS = 60;

    private TailRecorder() {}

    public static void main(String[] arguments) throws IOException, InterruptedException {
        Generator.useOwn();
        List<Tail> all = new ArrayList<>();
        for (int length : new int[] {250, 400}) {
            add(all, STOPPED, stopped(length));
            add(all, GENERATOR, generatorPaused(length));
        }
        for (int rate : new int[] {2_000, 2_400}) {
            add(all, MEMTABLES, puts(disk("250KB").flushThreshold("512KB").maxFrozen(1), rate));
            add(all, RUNS, puts(disk("3MB").flushThreshold("128KB").maxFrozen(8).compaction("leveled"), 3 * rate));
        }
        Path file = Project.root().resolve("engine/lab/src/main/resources/lsmlab/lab/grading/tails.json");
        Json.MAPPER.writeValue(file.toFile(), all);
        System.out.println(file + ": " + all.size());
    }

    private static void add(List<Tail> all, String cause, Tail tail) {
        all.add(tail);
        System.out.println("%d: %s; %s".formatted(all.size(), cause, tail));
    }

    private static ServerBuilder disk(String rate) {
        return new ServerBuilder().wal("none").device("seek=0ms,rate=" + rate + ",cache=1MB");
    }

    /** Flushes go on beside it, for puts do: they cover more time than the pause, and explain nothing. */
    private static Tail stopped(int lengthMs) {
        try (Server server = disk("4MB").flushThreshold("128KB").maxFrozen(8).start()) {
            return recorded(put(1_000).freeze("1s", lengthMs + "ms").run(server));
        }
    }

    private static Load put(int rate) {
        return new Load().script("put-random.lua", 1, 20_000).connections(4).rate(rate).duration("4s");
    }

    /** Begins with flushes done, so that writes stall once or twice: if they stalled all the time, ordinary requests would wait for the same. */
    private static Tail puts(ServerBuilder builder, int rate) throws InterruptedException {
        try (Server server = builder.start()) {
            put(rate).run(server);
            while (!server.shape().contains("frozen 0")) {
                Thread.sleep(100);
            }
            return recorded(put(rate).run(server));
        }
    }

    private static Tail generatorPaused(int lengthMs) throws InterruptedException {
        try (Server server = disk("4MB").flushThreshold("128KB").maxFrozen(8).start()) {
            put(1_000).run(server);
            Thread pauser = Thread.ofVirtual().start(() -> pauseGenerator(Duration.ofMillis(lengthMs)));
            Tail tail = recorded(put(1_000).run(server));
            pauser.join();
            return tail;
        }
    }

    private static void pauseGenerator(Duration length) {
        try {
            ProcessHandle generator = null;
            while (generator == null) {
                Thread.sleep(5);
                generator = ProcessHandle.current().children().filter(child -> child.info().commandLine().orElse("").contains("wrk2.jar")).findAny().orElse(null);
            }
            String pid = Long.toString(generator.pid());
            Thread.sleep(GENERATOR_AFTER);
            new ProcessBuilder("kill", "-STOP", pid).start().waitFor();
            Thread.sleep(length);
            new ProcessBuilder("kill", "-CONT", pid).start().waitFor();
        } catch (InterruptedException | IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Tail recorded(Run run) {
        System.out.println(Autopsy.of(run));
        RunTraces traces = RunTraces.of(run);
        ServerTrace trace = traces.server();
        TracedRequests client = traces.client(trace);
        long begin = client.beginNanos();
        Map<List<Integer>, ServerTrace.Served> served = new HashMap<>();
        trace.requests().forEach(each -> served.put(List.of(each.port(), each.number()), each));
        Stream<Tail.Event> events = trace.events().stream().map(event -> new Tail.Event(name(event), ms(event.fromNanos() - begin), ms(event.toNanos() - begin)));
        Stream<Tail.Event> pauses = client.pauses().stream().map(pause -> new Tail.Event(GENERATOR, ms(pause.fromNanos() - begin), ms(pause.toNanos() - begin)));
        return new Tail(requests(client.slowest(), served, begin), requests(client.typical(), served, begin),
                Stream.concat(events, pauses).filter(event -> event.toMs() > 0).sorted(Comparator.comparingDouble(Tail.Event::fromMs)).toList());
    }

    private static String name(ServerTrace.Event event) {
        return event.kind().equals("STALL") ? event.what().equalsIgnoreCase(StallCause.COMPACTION.name()) ? RUNS : MEMTABLES : NAMES.get(event.kind());
    }

    private static List<Tail.Request> requests(List<Traced> of, Map<List<Integer>, ServerTrace.Served> served, long begin) {
        return of.stream().map(request -> {
            ServerTrace.Served by = served.get(List.of(request.port(), request.number()));
            return by == null || !by.passed(ServerTrace.Time.WRITTEN) ? null : new Tail.Request(ms(request.dueNanos() - begin), ms(request.sentNanos() - begin), ms(by.readableNanos() - begin),
                    ms(by.at(ServerTrace.Time.WRITTEN) - begin), ms(request.receivedNanos() - begin));
        }).filter(Objects::nonNull).limit(MOST_REQUESTS).toList();
    }

    private static double ms(long nanos) {
        return Math.round(nanos / 1e3) / 1e3;
    }
}
