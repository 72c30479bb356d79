// SPDX-License-Identifier: Apache-2.0
package lsmlab.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import lsmlab.load.plan.Settings;
import lsmlab.load.report.TextReport;
import lsmlab.load.result.LoadResult;
import lsmlab.load.run.LoadRun;
import org.junit.jupiter.api.io.TempDir;

/** Runs against servers of tests, and their settings. */
abstract class LoadRuns {
    static final TextReport SILENT = new TextReport(new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8));

    @TempDir
    Path folder;

    static Settings settings(TestServer server, int connections, int threads, int seconds, double rate) {
        return new Settings(URI.create(server.url()), connections, threads, seconds, 0, 2, rate, null, List.of(), null, Map.of(), false, Set.of(), null);
    }

    Settings withScript(Settings s, String lua, String... arguments) throws IOException {
        return withScript(s, Files.writeString(folder.resolve("test.lua"), lua), arguments);
    }

    static Settings withScript(Settings s, Path script, String... arguments) {
        return new Settings(s.url(), s.connections(), s.threads(), s.durationSeconds(), s.warmupMillis(), s.timeoutSeconds(), s.requestsPerSecond(),
                script, List.of(arguments), s.seed(), s.headers(), s.batchLatency(), s.accepted(), s.hlog());
    }

    static Settings withWarmup(Settings s, long seconds) {
        return new Settings(s.url(), s.connections(), s.threads(), s.durationSeconds(), 1000 * seconds, s.timeoutSeconds(), s.requestsPerSecond(),
                s.script(), s.scriptArguments(), s.seed(), s.headers(), s.batchLatency(), s.accepted(), s.hlog());
    }

    static Settings withTimeout(Settings s, long seconds) {
        return new Settings(s.url(), s.connections(), s.threads(), s.durationSeconds(), s.warmupMillis(), seconds, s.requestsPerSecond(),
                s.script(), s.scriptArguments(), s.seed(), s.headers(), s.batchLatency(), s.accepted(), s.hlog());
    }

    static Settings withSeed(Settings s, int seed) {
        return new Settings(s.url(), s.connections(), s.threads(), s.durationSeconds(), s.warmupMillis(), s.timeoutSeconds(), s.requestsPerSecond(),
                s.script(), s.scriptArguments(), seed, s.headers(), s.batchLatency(), s.accepted(), s.hlog());
    }

    static Settings withBatchLatency(Settings s) {
        return new Settings(s.url(), s.connections(), s.threads(), s.durationSeconds(), s.warmupMillis(), s.timeoutSeconds(), s.requestsPerSecond(),
                s.script(), s.scriptArguments(), s.seed(), s.headers(), true, s.accepted(), s.hlog());
    }

    static Settings withLog(Settings s, Path hlog) {
        return new Settings(s.url(), s.connections(), s.threads(), s.durationSeconds(), s.warmupMillis(), s.timeoutSeconds(), s.requestsPerSecond(),
                s.script(), s.scriptArguments(), s.seed(), s.headers(), s.batchLatency(), s.accepted(), hlog);
    }

    static Settings withAccepted(Settings s, int status) {
        return new Settings(s.url(), s.connections(), s.threads(), s.durationSeconds(), s.warmupMillis(), s.timeoutSeconds(), s.requestsPerSecond(),
                s.script(), s.scriptArguments(), s.seed(), s.headers(), s.batchLatency(), Set.of(status), s.hlog());
    }

    static LoadResult run(Settings settings) throws IOException, InterruptedException {
        try (LoadRun run = new LoadRun(settings, SILENT, null, () -> {})) {
            LoadResult result = run.run();
            assertEquals(result.plannedRequests(), result.requests() + result.unfinished().inFlight() + result.unfinished().unsent(),
                    settings.threads(), "every planned request is answered or reported");
            return result;
        }
    }

    /** Requests that are due in a run by its plan. */
    static double due(Settings s) {
        double due = 0;
        for (int thread = 0; thread < s.threads(); thread++) {
            for (int i = 0; i < s.connectionsOf(thread); i++) {
                due += s.requestsPerSecond() / s.connections() * (s.durationSeconds() - i * 0.005);
            }
        }
        return due;
    }

    /** What was due was planned, and most of it answered: how much of the end of a run is left over is the machine's business. */
    static void assertMostWasAnswered(double due, LoadResult result) {
        assertEquals(due, result.plannedRequests(), result.connections(), "the plan is the schedule's");
        assertTrue(result.requests() > due / 2 && result.requests() <= result.plannedRequests() + result.connections(),
                "%d of %.0f".formatted(result.requests(), due));
    }
}
