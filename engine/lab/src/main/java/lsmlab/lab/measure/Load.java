// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.measure;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import lsmlab.lab.environment.Mode;
import lsmlab.lab.environment.Project;
import lsmlab.lab.environment.Text;
import lsmlab.lab.notebook.Progress;
import lsmlab.lab.notebook.Turn;
import lsmlab.lab.process.Server;
import lsmlab.lab.process.ServerProcess;
import lsmlab.load.result.LoadResult;

/**
 * A load that is to be run against a server. Each method returns a changed copy, so one load can be the start of many. Before a
 * server's first measured run it is loaded as fast as it answers for a while and that is thrown away, so that no run measures a cold
 * JVM by accident.
 */
public final class Load {
    private static final int MAX_CONNECTION_RATE = 200_000;
    private static final int MOST_CONNECTIONS = 1_000_000;
    private static final int MOST_THREADS = 1_024;
    private static final double MAX_RATE = 1e9;
    /** wrk2's calibration, with room for many connections. */
    static final Duration CALIBRATION = Duration.ofSeconds(11);
    /** Of each connection in a run. With fewer, the rate would depend on when connections start: such a run is made longer, up to a limit. */
    static final double LEAST_REQUESTS = 4;
    static final long MAX_STRETCHED_SECONDS = 10;
    /** Still warming up: faster than before by this factor. */
    private static final double LEVEL = 1.25;
    private static final long MAX_WARM_UP_SECONDS = 10;
    private static final long MAX_QUICK_WARM_UP_SECONDS = 2;

    String script;
    List<String> arguments = List.of();
    int connections = 1;
    int threads = 1;
    private double rate = 1_000;
    private String duration = Mode.sized("1s", "30s");
    private String warmup = Mode.sized("1s", "10s");
    Duration freezeAfter;
    Duration freezeLength;
    boolean mayMiss;
    boolean closed;
    boolean poisson;
    Path log;
    Steps steps = Steps.NONE;
    private String label;

    public Load() {}

    private Load with(Consumer<Load> change) {
        Load copy = new Load();
        copy.script = script;
        copy.arguments = arguments;
        copy.connections = connections;
        copy.threads = threads;
        copy.rate = rate;
        copy.duration = duration;
        copy.warmup = warmup;
        copy.freezeAfter = freezeAfter;
        copy.freezeLength = freezeLength;
        copy.mayMiss = mayMiss;
        copy.closed = closed;
        copy.poisson = poisson;
        copy.log = log;
        copy.steps = steps;
        copy.label = label;
        change.accept(copy);
        return copy;
    }

    /** A file of scripts/wrk2, or an absolute path. Arguments go to its init(). */
    public Load script(String name, Object... arguments) {
        Project.script(name);
        return with(copy -> {
            copy.script = name;
            copy.arguments = Arrays.stream(arguments).map(Object::toString).toList();
        });
    }

    /** Connections kept open, one request under way on each. */
    public Load connections(int count) {
        require(count >= 1 && count <= MOST_CONNECTIONS, "connections(%d): it takes 1 to %d", count, MOST_CONNECTIONS);
        return with(copy -> copy.connections = count);
    }

    /** Threads of the load generator, each with its share of the connections. */
    public Load threads(int count) {
        require(count >= 1 && count <= MOST_THREADS, "threads(%d): it takes 1 to %d", count, MOST_THREADS);
        return with(copy -> copy.threads = count);
    }

    /** Each connection asks again when it has its answer, for {@link lsmlab.lab.Lab#compare}: shows throughput, never latency under a load. */
    public Load closed() {
        return with(copy -> copy.closed = true);
    }

    /** Requests a second, all connections together. */
    public Load rate(double perSecond) {
        require(perSecond >= 1 && perSecond <= MAX_RATE, "rate(%s): it takes 1 or more requests a second", perSecond);
        return with(copy -> copy.rate = perSecond);
    }

    /** Requests come independently of each other, the gaps between them exponential, and not at equal distances. Such a run is always made by wrk2.jar. */
    public Load poisson() {
        return with(copy -> copy.poisson = true);
    }

    /** Whole seconds: "10s". Not 11 to 19: wrk2 leaves the first ten seconds of more than ten out, and of so few nothing would be left. */
    public Load duration(String length) {
        long seconds = Text.seconds(length);
        if (isMostlyCalibration(seconds)) {
            throw new IllegalArgumentException("a run of %d s leaves out its first 10 s, as wrk2 does: take at most 10s or at least 20s".formatted(seconds));
        }
        return with(copy -> copy.duration = length);
    }

    /** How long it lasts: a second in smoke mode, unless something is done to the server meanwhile. */
    private long seconds() {
        return freezeAfter == null && !steps.areThere() && Mode.current() == Mode.SMOKE ? 1 : Text.seconds(duration);
    }

    static boolean isMostlyCalibration(long seconds) {
        return seconds >= CALIBRATION.toSeconds() && seconds < 2 * CALIBRATION.toSeconds() - 2;
    }

    /** Length of the warm-up run before the server's first run. A cluster gets more of them, until it answers no faster. */
    public Load warmup(String length) {
        Text.seconds(length);
        return with(copy -> copy.warmup = length);
    }

    /**
     * Stops the server's process during the run, as a long pause would. Such a run is always made by wrk2.jar, which reports what
     * happened when.
     */
    public Load freeze(String after, String length) {
        return with(copy -> {
            copy.freezeAfter = Text.duration(after);
            copy.freezeLength = Text.duration(length);
        });
    }

    /** Asks for ids that are not there: 404 is an answer then, not an error. */
    public Load mayMiss() {
        return with(copy -> copy.mayMiss = true);
    }

    /** What is done meanwhile; only wrk2.jar says when it begins. */
    Load steps(Steps planned) {
        return with(copy -> copy.steps = planned);
    }

    /** Writes a histogram a second into a file; only wrk2.jar can. */
    Load log(Path file) {
        return with(copy -> copy.log = file);
    }

    /** The run's name in charts and tables; without one it is made of server and load. */
    public Load label(String text) {
        return with(copy -> copy.label = text);
    }

    /** Runs it and waits; where another notebook measures, it waits for that first. */
    public Run run(Server server) {
        return run(ServerProcess.of(server));
    }

    Run run(ServerProcess server) {
        check(server);
        try (var _ = Turn.take(describe(server))) {
            Progress progress = new Progress(describe(server));
            Run run = run(server, progress, "run");
            String outcome = "%s, p99 %s, %s".formatted(Text.rate(run.result().achievedPerSecond()), Text.ms(run.percentileMs(99)), run.verdict());
            if (run.sustained()) {
                progress.done(outcome);
            } else {
                progress.doneButNot(outcome);
            }
            return run;
        }
    }

    private void check(ServerProcess server) {
        require(!closed, "closed(): a closed loop has no response times under a load, so it only compares servers: Lab.compare(load, server, another)");
        require(freezeAfter == null || freezeAfter.plus(freezeLength).toMillis() <= 1_000 * seconds(),
                "the run ends after %s, before the stop has: make it longer with .duration(...)", duration);
        require(steps.last().toMillis() < 1_000 * seconds(), "the run ends after %s, before the last step begins: make it longer with .duration(...)", duration);
        require(connections >= threads, "%d connections over %d threads: each thread needs at least one", connections, threads);
        server.checkClusterRuns();
    }

    private static void require(boolean condition, String message, Object... values) {
        if (!condition) {
            throw new IllegalArgumentException(message.formatted(values));
        }
    }

    /** @param phase what the progress calls it */
    Run run(ServerProcess server, Progress progress, String phase) {
        if (freezeAfter != null && seconds() > CALIBRATION.toSeconds() && freezeAfter.compareTo(CALIBRATION) < 0) {
            throw new IllegalArgumentException("the stop would fall into the first %d s, whose latencies a run of more than that drops"
                    .formatted(CALIBRATION.toSeconds()));
        }
        if (!server.isWarm() && Mode.current() != Mode.SMOKE) {
            warm(server, progress);
        }
        JsonNode before = server.stats();
        Duration cpuBefore = server.cpu();
        long beganNanos = System.nanoTime();
        Execution execution = new Execution(this, server, rate, true);
        LoadResult result = execution.run(seconds(), progress, phase);
        // The connections' start, if there was one, took its part of the processor time.
        double counted = (double) Math.max(1, result.requests()) / Math.max(1, result.requests() + result.warmupRequests());
        double cpuShare = counted * server.cpu().minus(cpuBefore).toNanos() / 1e9 / result.seconds();
        Run run = Run.of(label == null ? describe(server) : label, server, arguments, mayMiss, result, cpuShare, before, server.stats());
        if (server.isTraced()) {
            RunTraces.keep(run, execution.traced(), server, beganNanos); // last: it takes the server's time
        }
        return run;
    }

    /** Loads the server as fast as it answers, for its JVM's sake. */
    void warm(ServerProcess server) {
        check(server);
        Progress progress = new Progress("warm-up of " + server.label());
        progress.done(Text.rate(warm(server, progress).achievedPerSecond()));
    }

    private LoadResult warm(ServerProcess server, Progress progress) {
        return with(copy -> {
            copy.freezeAfter = null;
            copy.log = null;
            copy.steps = Steps.NONE;
        }).saturate(server, Text.seconds(warmup), progress);
    }

    /**
     * Warms the server up by a run as fast as it answers; a cluster, where each request needs code of several JVMs compiled, by runs until two
     * in a row are hardly faster than those before, for ten seconds at most. The rate of the fastest is near the knee.
     */
    LoadResult saturate(ServerProcess server, long seconds, Progress progress) {
        check(server);
        double rate = Math.min(MAX_RATE, (double) MAX_CONNECTION_RATE * connections);
        LoadResult fastest = new Execution(this, server, rate, false).run(seconds, progress, "warm-up");
        long most = Mode.sized(0L, MAX_QUICK_WARM_UP_SECONDS, MAX_WARM_UP_SECONDS);
        for (long made = 1, level = 0; server.isInCluster() && made * seconds < most && level < 2; made++) {
            LoadResult next = new Execution(this, server, rate, false).run(seconds, progress, "warm-up, %s so far".formatted(Text.rate(fastest.achievedPerSecond())));
            level = next.achievedPerSecond() < LEVEL * fastest.achievedPerSecond() ? level + 1 : 0;
            fastest = next.achievedPerSecond() > fastest.achievedPerSecond() ? next : fastest;
        }
        server.setWarm();
        return fastest;
    }

    @Override
    public String toString() {
        return "a load to be run with .run(server): %s at %s, %s, %s, %s".formatted(what(), pace(), Text.plural(connections, "connection"),
                Text.plural(threads, "thread"), duration);
    }

    /** How its requests come, in words. */
    String pace() {
        return closed ? "closed loop" : Text.rate(rate);
    }

    /** The same for the generator. */
    List<String> paceArguments() {
        return Stream.concat(Stream.of(closed ? "--closed" : "-R" + Math.round(rate)), arrivalArguments().stream()).toList();
    }

    /** The distances between requests; only wrk2.jar has others than equal ones. */
    List<String> arrivalArguments() {
        return poisson ? List.of("-D", "exp") : List.of();
    }

    /** What the generator is told of the requests themselves; only wrk2.jar knows what else is an answer. */
    List<String> contentArguments() {
        List<String> list = new ArrayList<>(scriptFile());
        if (mayMiss) {
            list.addAll(List.of("--accept", Integer.toString(Run.NOT_FOUND)));
        }
        return list;
    }

    List<String> scriptFile() {
        return script == null ? List.of() : List.of("-s", Project.script(script).toString());
    }

    /** Comes last. */
    List<String> scriptArguments() {
        return arguments.isEmpty() ? List.of() : Stream.concat(Stream.of("--"), arguments.stream()).toList();
    }

    /** What a server is asked; a script's requests have paths of their own. */
    String urlOf(ServerProcess server) {
        return server.url() + (script == null ? "/v0/status" : "");
    }

    /** The script and its arguments. */
    String what() {
        return script == null ? "GET status" : Stream.concat(Stream.of(script.replace(".lua", "")), arguments.stream())
                .filter(word -> !word.isEmpty()).collect(Collectors.joining(" "));
    }

    private String describe(ServerProcess server) {
        return "%s, %s at %s".formatted(server.label(), what(), Text.rate(rate));
    }
}
