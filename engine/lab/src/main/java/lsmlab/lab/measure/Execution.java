// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.measure;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import lsmlab.lab.environment.Json;
import lsmlab.lab.environment.Text;
import lsmlab.lab.environment.Workspace;
import lsmlab.lab.notebook.Progress;
import lsmlab.lab.process.ServerProcess;
import lsmlab.load.result.LoadResult;
import lsmlab.load.result.TracedRequests;

/** One run of the load generator: its command, the wait for its end, and what it found. */
final class Execution {
    /** The connections of a thread start one after another, in wrk2 and here; until the last has, less than the rate is offered. */
    private static final double START_STEP_SECONDS = 0.005;
    /** The share of a run for which less may be offered without a word. */
    private static final double START_SHARE = 0.02;

    private final Load load;
    private final ServerProcess server;
    private final double perSecond;
    private final boolean isCounted;
    private final Generator generator;
    private TracedRequests traced; // null: none are kept

    /**
     * @param perSecond in place of the load's own rate
     * @param isCounted whether it is a run, and not a warm-up
     */
    Execution(Load load, ServerProcess server, double perSecond, boolean isCounted) {
        this.load = load;
        this.server = server;
        this.perSecond = perSecond;
        this.isCounted = isCounted;
        generator = load.freezeAfter == null && load.log == null && !load.poisson ? Generator.current() : Generator.own();
    }

    /** @param phase what the progress calls it */
    LoadResult run(long atLeastSeconds, Progress progress, String phase) {
        long seconds = seconds(atLeastSeconds);
        try {
            Path json = Files.createTempFile(Workspace.newFolder("loads"), "load", ".json");
            Path text = Files.createTempFile(Workspace.newFolder("loads"), "load", ".txt");
            try {
                List<String> command = generator.command(arguments(seconds, generator.isReal() ? null : json));
                GeneratorProcess process = GeneratorProcess.start(command, text, load.script);
                load.steps.begin(() -> hasBegun(text));
                try (var _ = load.freezeAfter == null ? null : server.freeze(() -> generator.isReal() || hasBegun(text), load.freezeAfter, load.freezeLength)) {
                    process.await(seconds, List.of(server), share -> progress.update(share, phase));
                    load.steps.await();
                } finally {
                    load.steps.cancel();
                }
                if (generator.isReal()) {
                    return Wrk2Text.parse(Files.readString(text), generator.name(), load.script, perSecond, seconds);
                }
                traced = keepsSlowest() ? Json.MAPPER.readValue(json.toFile(), TracedRequests.class) : null;
                return Json.MAPPER.readValue(json.toFile(), LoadResult.class);
            } finally {
                Files.deleteIfExists(json);
                Files.deleteIfExists(text);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The slowest requests of a run against a server that traces them, from the generator's side; null if that does not know them. */
    TracedRequests traced() {
        return traced;
    }

    private boolean keepsSlowest() {
        return isCounted && server.isTraced() && !generator.isReal();
    }

    /** A run long enough for what it is to measure. */
    private long seconds(long atLeast) {
        long seconds = Math.max(atLeast, Math.min(Load.MAX_STRETCHED_SECONDS, (long) Math.ceil(Load.LEAST_REQUESTS * load.connections / perSecond)));
        long startMillis = startMillis(seconds);
        if (!generator.isReal() || startMillis == 0) {
            return seconds;
        }
        long enough = Math.ceilDiv(startMillis, 50); // a real wrk2 has no warm-up to start its connections in: in a run this long that costs less than 3 % of the requests
        return Math.max(seconds, Load.isMostlyCalibration(enough) ? 2 * Load.CALIBRATION.toSeconds() : enough);
    }

    /** The generator says so just before its first request is due; scripts may print before. */
    private static boolean hasBegun(Path text) {
        try {
            return Files.readString(text).contains("Running ");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** How long the generator takes to start all connections, if that is too much of a run; else 0. */
    private long startMillis(long seconds) {
        double starts = (Math.ceilDiv(load.connections, load.threads) - 1) * START_STEP_SECONDS;
        return load.freezeAfter == null && starts > START_SHARE * seconds ? (long) Math.ceil(1000 * starts) : 0;
    }

    private List<String> arguments(long seconds, Path json) {
        List<String> list = new ArrayList<>(List.of("-c" + load.connections, "-t" + load.threads, "-d" + seconds + "s",
                "-R" + Math.round(perSecond), "-U"));
        if (json != null) {
            list.addAll(List.of("--json", json.toString()));
            if (!server.isInCluster()) {
                list.addAll(List.of("--pids", Long.toString(server.pid())));
            }
            if (keepsSlowest()) {
                list.addAll(List.of("--slowest", "%s%%".formatted(Text.plain(100 * RunTraces.SHARE))));
            }
            long startMillis = startMillis(seconds);
            if (startMillis > 0) {
                list.addAll(List.of("--warmup", startMillis + "ms"));
            }
        }
        if (load.log != null) {
            list.addAll(List.of("--hlog", load.log.toString()));
        }
        list.addAll(load.arrivalArguments());
        list.addAll(generator.isReal() ? load.scriptFile() : load.contentArguments());
        list.add(load.urlOf(server));
        list.addAll(load.scriptArguments());
        return list;
    }
}
