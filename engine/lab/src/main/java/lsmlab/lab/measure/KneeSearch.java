// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.measure;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import lsmlab.lab.environment.Given;
import lsmlab.lab.environment.Machine;
import lsmlab.lab.environment.Mode;
import lsmlab.lab.environment.Text;
import lsmlab.lab.notebook.Progress;
import lsmlab.lab.notebook.Turn;
import lsmlab.lab.process.Server;
import lsmlab.lab.process.ServerProcess;
import lsmlab.load.plan.Bound;
import lsmlab.load.result.Knees;

/**
 * Searches for the knees of servers under one load, in turns, beside the yardstick. Trials at rates that teach most about a knee fit a curve to it: P(held) by rate.
 */
public final class KneeSearch {
    private static final double PERCENTILE = 99;
    private static final long SMOKE_TRIAL_MILLIS = 100;
    /** Of each server, if none of the time were for anything else, and its knee is not known well enough before. */
    private static final long TRIALS = Mode.sized(10L, 16L, 180L);
    private static final double MOST_WARM_UP_SECONDS = 10;
    private static final double HOPELESS_ERROR_SHARE = 0.99;
    /** Half an interval's width, in percent, that is narrow enough. */
    private static final int WITHIN_PERCENT = Mode.sized(10, 5);

    private final List<ServerProcess> servers;
    private Load load = new Load();
    private String label; // of the load; null: it is made of the script
    private long boundMillis = 10;
    private long trialMillis; // 0: as long as the bound needs
    private long mostSeconds = Long.MAX_VALUE; // of each server's trials
    private long warmUpMillis = Mode.sized(200L, 500L, 0L); // of each server; 0: until its service times are level

    public KneeSearch(Server... servers) {
        Given.some("Lab.knee", "servers", (Object[]) servers);
        this.servers = Stream.of(servers).map(ServerProcess::of).toList();
    }

    /** A file of scripts/wrk2, with arguments for its init(). */
    public KneeSearch script(String name, Object... arguments) {
        load = load.script(name, arguments);
        return this;
    }

    /** Connections kept open, one request under way on each. */
    public KneeSearch connections(int count) {
        load = load.connections(count);
        return this;
    }

    /** Threads of the load generator, each with its share of the connections. */
    public KneeSearch threads(int count) {
        load = load.threads(count);
        return this;
    }

    /** Asks for ids that are not there: 404 is an answer then, not an error. */
    public KneeSearch mayMiss() {
        load = load.mayMiss();
        return this;
    }

    /** What is searched, in charts and tables, after the server's name; without it, the script and its arguments. */
    public KneeSearch label(String text) {
        label = text;
        return this;
    }

    /** The service level: a trial is held only if the 99th percentile of its response times is below this. Without it, 10 ms. */
    public KneeSearch p99(String bound) {
        boundMillis = Text.duration(bound).toMillis();
        if (boundMillis == 0) {
            throw new IllegalArgumentException("p99(\"%s\"): no response takes no time; a bound is like 10ms".formatted(bound));
        }
        return this;
    }

    /** Length of a trial; without it, a quarter of a second, or four times the bound. Memory takes a burst: a trial must be longer than that to find a rate that lasts. */
    public KneeSearch trial(String duration) {
        trialMillis = Text.duration(duration).toMillis();
        return this;
    }

    /** Longest time of the trials and of the warm-up, for each server: where a store should not grow much while it is searched. */
    public KneeSearch atMost(String trials, String warmup) {
        mostSeconds = Text.seconds(trials);
        warmUpMillis = Mode.sized(warmUpMillis, Text.duration(warmup).toMillis());
        return this;
    }

    /** Searches the knee of one server and waits; where another notebook measures, it waits for that first. */
    public Knee search() {
        if (servers.size() != 1) {
            throw new IllegalStateException("%s are searched with .searchAll(), which returns a knee for each".formatted(Text.plural(servers.size(), "server")));
        }
        return searchAll()[0];
    }

    /** The same for several servers in turns: a knee for each, in their order. */
    public Knee[] searchAll() {
        servers.forEach(ServerProcess::checkClusterRuns);
        String names = servers.stream().map(ServerProcess::label).collect(Collectors.joining(", "));
        String what = "knee of %s, %s".formatted(names, what());
        try (Turn _ = Turn.take(what)) {
            Progress progress = new Progress(what);
            List<JsonNode> before = servers.stream().map(ServerProcess::stats).toList();
            Knees found = search(progress);
            found.knees().forEach(this::checkAnswers);
            Knee[] knees = IntStream.range(0, servers.size()).mapToObj(i -> knee(found, i, before.get(i))).toArray(Knee[]::new);
            progress.done("%s (%s)".formatted(Stream.of(knees).map(knee -> knee.found().words()).collect(Collectors.joining("; ")), knees[0].level()));
            return knees;
        }
    }

    private String what() {
        return label == null ? load.what() : label;
    }

    private Knees search(Progress progress) {
        long millis = Mode.current() == Mode.SMOKE ? SMOKE_TRIAL_MILLIS : trialMillis > 0 ? trialMillis : new Bound(PERCENTILE, boundMillis).trialMillis();
        long seconds = servers.size() * Math.min(mostSeconds, Math.ceilDiv(TRIALS * millis, 1_000));
        List<String> options = new ArrayList<>(List.of("--knee", "p99=" + boundMillis + "ms", "--slice", millis + "ms", "-d" + seconds + "s",
                "--within", Integer.toString(WITHIN_PERCENT)));
        if (warmUpMillis > 0) {
            options.addAll(List.of("--warmup", warmUpMillis + "ms"));
        }
        double most = seconds + (servers.size() + 1) * (warmUpMillis > 0 ? warmUpMillis / 1e3 : MOST_WARM_UP_SECONDS);
        return new InTurns(load, servers, Yardstick.running()).run(options, 2 * most, Knees.class, share -> progress.update(Math.min(1, 2 * share), "trials"));
    }

    /** Where nearly all answers are errors another service level won't do. */
    private void checkAnswers(Knees.Knee knee) {
        double errors = Knees.Trial.errorShare(knee.trials());
        if (errors > HOPELESS_ERROR_SHARE) {
            throw new IllegalStateException("%s: %s of the answers are errors, so there is no knee to find. If they are 404 (ids that the store does not hold), fill it with the ids that the script "
                    .formatted(knee.url(), Text.percent(errors)) + "asks for, or call .mayMiss()");
        }
    }

    /** @param before what the server's stats were before the search */
    private Knee knee(Knees found, int server, JsonNode before) {
        servers.get(server).setWarm();
        String label = "%s, %s".formatted(servers.get(server).label(), what());
        Knees own = new Knees(found.percentile(), found.boundMs(), found.tolerated(), found.trialSeconds(), found.seconds(), found.yardstick(), List.of(found.knees().get(server)));
        return new Knee(label, Mode.current().toString(), Machine.shortName(), Run.counted("/engine", before, servers.get(server).stats()), Turn.beside(), own);
    }

    @Override
    public String toString() {
        return "a search for the knee, to be run with .search(): %s, %s".formatted(servers.stream().map(ServerProcess::label).collect(Collectors.joining(", ")), what());
    }
}
