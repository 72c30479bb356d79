// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.measure;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleConsumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import lsmlab.lab.environment.Machine;
import lsmlab.lab.environment.Mode;
import lsmlab.lab.environment.Text;
import lsmlab.lab.notebook.Progress;
import lsmlab.lab.notebook.Turn;
import lsmlab.lab.process.Server;
import lsmlab.lab.process.ServerProcess;
import lsmlab.load.result.RoundsResult;

/** Rounds of one load against several servers, and against a second instance of the first one. */
public final class ComparisonRun {
    private static final double HOPELESS_ERROR_SHARE = 0.99;
    /** The generator's longest warm-up of a target. */
    private static final double MOST_WARM_UP_SECONDS = 10;

    /** @param warmUpMillis of each server; 0: until its service times are level */
    record Extent(int rounds, long sliceMillis, long warmUpMillis) {
        static final Extent OF_MODE = Mode.sized(new Extent(3, 100, 200), new Extent(10, 250, 1_000), new Extent(80, 250, 0));
    }

    private final Load load;
    private final Extent extent;
    private final List<ServerProcess> servers;

    ComparisonRun(Load load, Extent extent, List<ServerProcess> servers) {
        this.load = load;
        this.extent = extent;
        this.servers = servers;
    }

    /**
     * Runs it and waits; where another notebook measures, it waits for that first. Servers that are no clusters restart, all of them: one that has
     * just been opened is not compared with one that has run for an hour.
     *
     * @throws IllegalArgumentException unless there are two servers or more, and each has a label of its own
     */
    public static Comparison of(Load load, Server... servers) {
        return of(load, Extent.OF_MODE, servers);
    }

    static Comparison of(Load load, Extent extent, Server... servers) {
        if (servers.length < 2) {
            throw new IllegalArgumentException("%s: a comparison takes two or more, Lab.compare(load, server, another)".formatted(Text.plural(servers.length, "server")));
        }
        if (load.freezeAfter != null) {
            throw new IllegalArgumentException("freeze(...): a server is not stopped while it is compared");
        }
        List<ServerProcess> processes = new ArrayList<>(List.of(servers).stream().map(ServerProcess::of).toList());
        if (processes.stream().map(ServerProcess::label).distinct().count() < processes.size()) {
            throw new IllegalArgumentException("two servers are called %s: give each a .label(...)".formatted(processes.getFirst().label()));
        }
        processes.forEach(ServerProcess::checkClusterRuns);
        String what = "compare " + processes.stream().map(ServerProcess::label).collect(Collectors.joining(", "));
        try (Turn _ = Turn.take(what)) {
            if (processes.stream().anyMatch(ServerProcess::isInCluster)) {
                processes.add(processes.getFirst()); // the same cluster again: another one would take the others' processor time
                return new ComparisonRun(load, extent, processes).run(new Progress(what));
            }
            processes.subList(1, processes.size()).forEach(ServerProcess::restart);
            try (Server twin = servers[0].twin()) {
                processes.add(ServerProcess.of(twin));
                return new ComparisonRun(load, extent, processes).run(new Progress(what));
            }
        }
    }

    /** Rounds of a closed loop against two servers, without a second instance and without a restart. */
    public static RoundsResult inTurns(Load load, int rounds, Duration slice, Server base, Server other) {
        if (!load.closed) {
            throw new IllegalArgumentException("servers in turns are loaded in a closed loop: load.closed()");
        }
        List<ServerProcess> both = List.of(ServerProcess.of(base), ServerProcess.of(other));
        String what = "%s and %s in turns".formatted(both.getFirst().label(), both.getLast().label());
        try (Turn _ = Turn.take(what)) {
            Progress progress = new Progress(what);
            RoundsResult found = new ComparisonRun(load, new Extent(rounds, slice.toMillis(), 2 * slice.toMillis()), both).measure(share -> progress.update(share, "rounds"));
            progress.done(Text.plural(found.method().rounds(), "round"));
            return found;
        }
    }

    private Comparison run(Progress progress) {
        List<JsonNode> before = servers.stream().map(ServerProcess::stats).toList();
        RoundsResult found = measure(share -> progress.update(share, "in turns"));
        checkAnswers(found);
        List<Map<String, Long>> engine = IntStream.range(0, servers.size()).mapToObj(i -> Run.counted("/engine", before.get(i), servers.get(i).stats())).toList();
        List<String> labels = new ArrayList<>(servers.stream().map(ServerProcess::label).toList());
        labels.set(labels.size() - 1, labels.getFirst() + ", again");
        Comparison comparison = new Comparison("%s, %s, %s".formatted(load.what(), load.pace(), Text.plural(load.connections, "connection")), Mode.current().toString(),
                Machine.shortName(), labels, engine, Turn.beside(), Comparison.BETWEEN_STARTS, found);
        progress.done(comparison.toString());
        return comparison;
    }

    /** @param progress learns which share of the longest time is over */
    RoundsResult measure(DoubleConsumer progress) {
        List<String> options = new ArrayList<>(List.of("--rounds", Integer.toString(extent.rounds), "--slice", extent.sliceMillis + "ms"));
        options.addAll(load.paceArguments());
        if (extent.warmUpMillis > 0) {
            options.addAll(List.of("--warmup", extent.warmUpMillis + "ms"));
        }
        double most = servers.size() * (MOST_WARM_UP_SECONDS + extent.rounds * extent.sliceMillis / 1e3);
        return new InTurns(load, servers, null).run(options, 2 * most, RoundsResult.class, share -> progress.accept(Math.min(1, 2 * share)));
    }

    /** Where nearly all answers are errors, ratios would be those of errors. */
    private void checkAnswers(RoundsResult found) {
        for (int i = 0; i < servers.size(); i++) {
            if (found.targets().get(i).errorShare() > HOPELESS_ERROR_SHARE) {
                throw new IllegalStateException("%s: %s of the answers are errors, by status %s".formatted(servers.get(i).label(),
                        Text.percent(found.targets().get(i).errorShare()), found.targets().get(i).statuses()));
            }
        }
    }
}
