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
        return new Settings(URI.create(server.url()), new Settings.Clients(connections, threads), new Settings.Span(seconds, 0, 2), new Settings.Rate(rate, false, false),
                new Settings.Content(null, List.of(), null, Map.of()), new Settings.Counting(false, Set.of(), null, 0));
    }

    Settings withScript(Settings s, String lua, String... arguments) throws IOException {
        return withScript(s, Files.writeString(folder.resolve("test.lua"), lua), arguments);
    }

    static Settings withScript(Settings s, Path script, String... arguments) {
        return with(s, new Settings.Content(script, List.of(arguments), s.content().seed(), s.content().headers()));
    }

    static Settings withSeed(Settings s, int seed) {
        return with(s, new Settings.Content(s.content().script(), s.content().arguments(), seed, s.content().headers()));
    }

    private static Settings with(Settings s, Settings.Content content) {
        return new Settings(s.url(), s.clients(), s.span(), s.rate(), content, s.counting());
    }

    static Settings withWarmup(Settings s, long seconds) {
        return with(s, new Settings.Span(s.span().durationSeconds(), 1000 * seconds, s.span().timeoutSeconds()));
    }

    static Settings withTimeout(Settings s, long seconds) {
        return with(s, new Settings.Span(s.span().durationSeconds(), s.span().warmupMillis(), seconds));
    }

    private static Settings with(Settings s, Settings.Span span) {
        return new Settings(s.url(), s.clients(), span, s.rate(), s.content(), s.counting());
    }

    static Settings withExponentialArrivals(Settings s) {
        return new Settings(s.url(), s.clients(), s.span(), new Settings.Rate(s.requestsPerSecond(), true, false), s.content(), s.counting());
    }

    static Settings withBatchLatency(Settings s) {
        return with(s, new Settings.Counting(true, s.counting().accepted(), s.counting().hlog(), 0));
    }

    static Settings withLog(Settings s, Path hlog) {
        return with(s, new Settings.Counting(s.counting().batchLatency(), s.counting().accepted(), hlog, 0));
    }

    static Settings withAccepted(Settings s, int status) {
        return with(s, new Settings.Counting(s.counting().batchLatency(), Set.of(status), s.counting().hlog(), 0));
    }

    private static Settings with(Settings s, Settings.Counting counting) {
        return new Settings(s.url(), s.clients(), s.span(), s.rate(), s.content(), counting);
    }

    static LoadResult run(Settings settings) throws IOException, InterruptedException {
        try (LoadRun run = new LoadRun(settings, SILENT, null, null, () -> {})) {
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
                due += s.requestsPerSecond() / s.connections() * (s.span().durationSeconds() - i * 0.005);
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

    static List<String> paths(TestServer server) {
        return server.heads().stream().map(head -> head.split(" ")[1]).toList();
    }
}
