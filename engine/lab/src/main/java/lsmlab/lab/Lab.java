// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab;

import java.nio.file.Files;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import lsmlab.lab.autopsy.Autopsy;
import lsmlab.lab.environment.Given;
import lsmlab.lab.environment.Mode;
import lsmlab.lab.environment.Project;
import lsmlab.lab.environment.Text;
import lsmlab.lab.grading.Assignment;
import lsmlab.lab.history.HistoryLoad;
import lsmlab.lab.measure.Comparison;
import lsmlab.lab.measure.ComparisonRun;
import lsmlab.lab.measure.Generator;
import lsmlab.lab.measure.KneeSearch;
import lsmlab.lab.measure.Load;
import lsmlab.lab.measure.NoiseFloor;
import lsmlab.lab.measure.PairedRatio;
import lsmlab.lab.measure.Rounds;
import lsmlab.lab.measure.Run;
import lsmlab.lab.measure.Timeline;
import lsmlab.lab.notebook.CellClass;
import lsmlab.lab.notebook.Shown;
import lsmlab.lab.notebook.SmallStore;
import lsmlab.lab.notebook.Table;
import lsmlab.lab.notebook.Turn;
import lsmlab.lab.predict.Prediction;
import lsmlab.lab.predict.Predictions;
import lsmlab.lab.predict.Question;
import lsmlab.lab.process.CassandraBuilder;
import lsmlab.lab.process.Server;
import lsmlab.lab.process.ServerBuilder;
import lsmlab.lab.profile.Profiler;
import lsmlab.lab.replay.Live;
import lsmlab.lab.replay.Replay;
import lsmlab.lab.reports.Claims;
import lsmlab.lab.reports.Verdict;
import lsmlab.lab.rows.Results;
import lsmlab.lab.rows.Row;
import lsmlab.lab.show.Charts;
import lsmlab.lab.show.LivePicture;
import lsmlab.lab.show.PredictionChart;
import lsmlab.load.result.Interval;

/**
 * The lab's vocabulary.
 *
 * <pre>{@code
 * var server = Lab.server().flushThreshold("1MB").pruning("none").heap("128m").start();
 * server.fill(90_000, "put-sequential.lua");
 * var run = Lab.wrk2().script("get-sequential.lua").connections(1).threads(1).rate(3_000).duration("10s").run(server);
 * Charts.percentiles(run, Reports.figure("001", 76))
 * }</pre>
 */
public final class Lab {
    private Lab() {}

    /** A server process to be configured and started; it ends with the notebook's kernel. */
    public static ServerBuilder server() {
        return new ServerBuilder();
    }

    /** A cluster of Apache Cassandra on this machine, to be configured and started; it ends with the notebook's kernel. */
    public static CassandraBuilder cassandra(int nodes) {
        return new CassandraBuilder(nodes);
    }

    /** A class that a cell declared, compiled so that a server can run it, with others that it uses: {@link ServerBuilder#extension}. */
    public static CellClass compiled(String name, String... helpers) {
        return CellClass.compiled(name, helpers);
    }

    /** A load to be configured and run, by a real wrk2 where one is found and by the lab's own elsewhere. */
    public static Load wrk2() {
        return new Load();
    }

    /** A store inside this notebook, to look at, not to measure. */
    public static SmallStore store() {
        return new SmallStore();
    }

    /** The search for the rate at which a server, or each of several in turns, begins to miss a service level: p99 below 10 ms unless another is set. */
    public static KneeSearch knee(Server... servers) {
        return new KneeSearch(servers);
    }

    /**
     * Loads servers in turns, a fraction of a second each: ratios to the first server with their intervals, for processor time a request, throughput,
     * p50 and p99, beside those of a second instance of the first server. The servers restart once; the intervals hold for another start, too.
     */
    public static Comparison compare(Load load, Server... servers) {
        return ComparisonRun.of(load, servers);
    }

    /** Runs the alternatives of a comparison in rotation, for this many rounds; in smoke mode two at most. */
    public static Rounds inTurns(int rounds, Map<String, Supplier<Run>> turns) {
        return new Rounds(Mode.sized(Math.min(rounds, PairedRatio.LEAST_ROUNDS), rounds, rounds), turns);
    }

    /** Does the same with each of some servers at the same time: that distorts times, and no counts. The results are in the servers' order. */
    public static <S, T> List<T> atOnce(List<S> servers, Function<S, T> work) {
        List<CompletableFuture<T>> begun = servers.stream().map(server -> CompletableFuture.supplyAsync(() -> work.apply(server), Thread::startVirtualThread)).toList();
        return begun.stream().map(CompletableFuture::join).toList();
    }

    /** A load run with a record of what the server's engine and its JVM did meanwhile. Steps are done during the run, and drawn with the rest. */
    public static Timeline timeline(Server server, Load load, Timeline.Step... steps) {
        return Timeline.of(server, load, steps);
    }

    /** Clients that write increasing values and read them back through these servers, for a check of what they see; to be configured and run. */
    public static HistoryLoad history(Server... servers) {
        Given.some("Lab.history", "servers", (Object[]) servers);
        return HistoryLoad.of(servers);
    }

    /** Something to be done this long after a load began, "8s", like {@code () -> cluster.nodes().get(2).kill()}; charts show it by these words. */
    public static Timeline.Step step(String after, String what, Runnable action) {
        Given.some("Lab.step", "a time, words and what to do", after, what, action);
        return new Timeline.Step(Text.duration(after), what, action);
    }

    /** A profile to be taken while something runs. Events: cpu, wall, alloc, lock, comma-separated; one recording holds them all. */
    public static Profiler profile(Server server, String events) {
        return new Profiler(server, events);
    }

    /** Why the slowest requests of a run were slow: the time of each, divided among its causes. Its server may have been stopped since. */
    public static Autopsy autopsy(Run run) {
        return Autopsy.of(run);
    }

    /** What the engine looked like while a run went on, as a picture that moves, with the times of requests inside the server on the same axis of time. */
    public static Replay replay(Run run) {
        return Replay.of(run, Charts.note(run));
    }

    /** Runs a load and meanwhile shows the server's engine under the cell, as a moving picture (in JupyterLab). Afterwards it is the {@code run()} and its {@code replay()}. */
    public static Live live(Server server, Load load) {
        return LivePicture.of(server, load);
    }

    /** Asks the reader for a number before it is measured: the cell fails until it gets {@code .is(number)} or {@code .skip()}. An unattended run does not ask. */
    public static Question predict(String what) {
        Given.some("Lab.predict", "what is to be predicted", what);
        return Question.ask(what);
    }

    /** Compares the reader's number with the measurement, a number or an interval, and adds both to the record in work/predictions.jsonl. */
    public static Prediction predicted(String what, Object measured) {
        return Question.compare(what, interval("prediction", what, measured));
    }

    /** Shows how good the reader's predictions in this notebook were; in a notebook without predictions, those in all notebooks. */
    public static Shown predictions() {
        return PredictionChart.of(Predictions.record().map(Predictions::here).orElse(List.of()));
    }

    /** How far a model is off in a case that it was not fitted to, in words: what it predicts there, what was measured, and the difference as a share of that. */
    public static String tested(String what, double predicted, double measured) {
        String off = Double.isFinite(predicted / measured) ? String.format(Locale.ROOT, ", off by %.0f %%", 100 * Math.abs(predicted / measured - 1)) : "";
        return "%s: predicted %s, measured %s%s".formatted(what, orUnknown(predicted), orUnknown(measured), off);
    }

    private static String orUnknown(double value) {
        return Double.isFinite(value) ? Text.significant(value) : "unknown";
    }

    /** A claim's verdict: each measure that its conditions in data/claims.json name, with what was measured, a number or an interval. */
    public static Verdict check(String claim, Map<String, ?> measured) {
        Map<String, Interval> intervals = new LinkedHashMap<>();
        measured.forEach((measure, value) -> intervals.put(measure, interval("claim " + claim, measure, value)));
        return Claims.load().check(claim, intervals, Mode.current());
    }

    private static Interval interval(String whose, String measure, Object value) {
        return switch (value) {
            case Interval interval -> interval;
            case PairedRatio ratio -> ratio.interval();
            case Number number -> Interval.exactly(number.doubleValue());
            case null, default -> throw new IllegalArgumentException("%s: '%s' is a number or an interval, and not %s".formatted(whose, measure, value));
        };
    }

    /** The same for a claim with one measure. */
    public static Verdict check(String claim, double measured) {
        return check(claim, Interval.exactly(measured));
    }

    /** The same with an interval. */
    public static Verdict check(String claim, Interval measured) {
        Claims.Claim found = Claims.load().claim(claim);
        if (found.measures().size() != 1) {
            throw new IllegalArgumentException("claim %s has several measures, name each value: %s".formatted(claim, found.measures()));
        }
        return check(claim, Map.of(found.measures().iterator().next(), measured));
    }

    /** A value of which only the bounds are known, both positive: in the middle their geometric mean. */
    public static Interval between(double low, double high) {
        return new Interval(Math.sqrt(low * high), low, high);
    }

    /** Returns the size for the current mode: quick is the default, full is the report's. */
    public static <T> T sized(T quick, T full) {
        return Mode.sized(quick, full);
    }

    /** This kernel measures from now on though another notebook of the lab does, too; what it finds is marked so. */
    public static String measureAlongside() {
        Turn.goOnAlongside();
        return "this notebook waits for no other one any more; its charts say when another one measured at the same time";
    }

    /** What a cell can say, a line each: the lab's vocabulary. */
    public static Table help() {
        return Reference.of(Lab.class);
    }

    /** The same of one of the things that the vocabulary returns: {@code Lab.help(server)}. */
    public static Table help(Object thing) {
        return Reference.of(thing);
    }

    /** An assignment's checks, with numbers of the student's own. */
    public static Assignment assignment(String name, String student) {
        if (name == null || !Files.exists(Project.root().resolve("notebooks/assignments/" + name + ".ipynb"))) {
            throw new IllegalArgumentException("there is no assignment '%s': it has the name of its notebook, like 02-pruning".formatted(name));
        }
        return new Assignment(name, student);
    }

    /** What this notebook runs on and with, and what can be told apart here: a server is compared with itself for that, about five seconds. */
    public static Table about() {
        Table table = new Table("This machine, " + Mode.current() + " mode", "what", "found");
        Generator.conditions().forEach(table::row);
        NoiseFloor.remarks().forEach(remark -> table.row("beware", remark));
        table.row("noise floor", Mode.current() == Mode.SMOKE ? "not measured in smoke mode"
                : Turn.other() != null ? "not measured beside another notebook" : NoiseFloor.measure().words());
        return table;
    }

    /** Keeps runs, knees and verdicts as rows in data/results; in quick mode it keeps nothing and says so. */
    public static String save(String experiment, Object... results) {
        checkIsExperiment(experiment);
        return Results.save(experiment, results);
    }

    /** What the newest stored full run of an experiment measured. */
    public static Row row(String experiment) {
        checkIsExperiment(experiment);
        return Row.newest(experiment);
    }

    private static void checkIsExperiment(String name) {
        if (name == null || !Files.exists(Project.root().resolve("notebooks/" + name + ".ipynb"))) {
            throw new IllegalArgumentException("there is no experiment '%s': it has the name of its notebook, like 01-block-size".formatted(name));
        }
    }
}
