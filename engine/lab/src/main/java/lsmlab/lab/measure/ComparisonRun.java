// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.measure;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleConsumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import lsmlab.lab.environment.Json;
import lsmlab.lab.environment.Machine;
import lsmlab.lab.environment.Mode;
import lsmlab.lab.environment.Project;
import lsmlab.lab.environment.Text;
import lsmlab.lab.environment.Workspace;
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

    /** @param warmUpMillis of all targets; 0: until their service times are level */
    record Extent(int rounds, long sliceMillis, long warmUpMillis) {
        static final Extent OF_MODE = Mode.sized(new Extent(3, 100, 500), new Extent(24, 250, 0), new Extent(80, 250, 0));
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

    private Comparison run(Progress progress) {
        List<JsonNode> before = servers.stream().map(ServerProcess::stats).toList();
        RoundsResult found = measure(share -> progress.update(share, "in turns"));
        checkAnswers(found);
        List<Map<String, Long>> engine = IntStream.range(0, servers.size()).mapToObj(i -> Run.counted("/engine", before.get(i), servers.get(i).stats())).toList();
        List<String> labels = new ArrayList<>(servers.stream().map(ServerProcess::label).toList());
        labels.set(labels.size() - 1, labels.getFirst() + ", again");
        Comparison comparison = new Comparison("%s, %s, %s".formatted(load.what(), load.pace(), Text.plural(load.connections, "connection")), Mode.current().toString(),
                Machine.shortName(), labels, engine, Turn.beside(), found);
        progress.done(comparison.toString());
        return comparison;
    }

    /** @param progress learns which share of the longest time is over */
    RoundsResult measure(DoubleConsumer progress) {
        double most = servers.size() * (MOST_WARM_UP_SECONDS + extent.rounds * extent.sliceMillis / 1e3);
        try {
            Path folder = Workspace.newFolder("loads");
            Path json = Files.createTempFile(folder, "rounds", ".json");
            Path text = Files.createTempFile(folder, "rounds", ".txt");
            try {
                GeneratorProcess.start(Generator.own().command(arguments(json)), text, load.script).await(2 * most, servers, share -> progress.accept(Math.min(1, 2 * share)));
                return Json.MAPPER.readValue(json.toFile(), RoundsResult.class);
            } finally {
                Files.deleteIfExists(json);
                Files.deleteIfExists(text);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
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

    private List<String> arguments(Path json) {
        List<String> list = new ArrayList<>(List.of("-c" + load.connections, "-t" + load.threads, "--rounds", Integer.toString(extent.rounds),
                "--slice", extent.sliceMillis + "ms", "--json", json.toString()));
        list.addAll(load.paceArguments());
        if (extent.warmUpMillis > 0) {
            list.addAll(List.of("--warmup", extent.warmUpMillis + "ms"));
        }
        if (servers.stream().noneMatch(ServerProcess::isInCluster)) {
            list.addAll(List.of("--pids", servers.stream().map(server -> Long.toString(server.pid())).collect(Collectors.joining(","))));
        }
        if (load.mayMiss) {
            list.addAll(List.of("--accept", Integer.toString(Run.NOT_FOUND)));
        }
        if (load.script != null) {
            list.addAll(List.of("-s", Project.script(load.script).toString()));
        }
        servers.forEach(server -> list.add(server.url() + (load.script == null ? "/v0/status" : "")));
        if (!load.arguments.isEmpty()) {
            list.add("--");
            list.addAll(load.arguments);
        }
        return list;
    }
}
