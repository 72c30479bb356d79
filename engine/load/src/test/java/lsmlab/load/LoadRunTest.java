// SPDX-License-Identifier: Apache-2.0
package lsmlab.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogReader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Totals, order and schedule of real runs; never speed. */
class LoadRunTest {
    @TempDir
    Path folder;

    private static final TextReport SILENT = new TextReport(new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8));

    private static Settings settings(TestServer server, int connections, int threads, int seconds, double rate) {
        return new Settings(URI.create(server.url()), connections, threads, seconds, 0, 2, rate, null, List.of(), null, Map.of(), false, Set.of(), null);
    }

    private Settings withScript(Settings s, String lua, String... arguments) throws IOException {
        return withScript(s, Files.writeString(folder.resolve("test.lua"), lua), arguments);
    }

    private static Settings withScript(Settings s, Path script, String... arguments) {
        return new Settings(s.url(), s.connections(), s.threads(), s.durationSeconds(), s.warmupMillis(), s.timeoutSeconds(), s.requestsPerSecond(),
                script, List.of(arguments), s.seed(), s.headers(), s.batchLatency(), s.accepted(), s.hlog());
    }

    private static Settings withWarmup(Settings s, long seconds) {
        return new Settings(s.url(), s.connections(), s.threads(), s.durationSeconds(), 1000 * seconds, s.timeoutSeconds(), s.requestsPerSecond(),
                s.script(), s.scriptArguments(), s.seed(), s.headers(), s.batchLatency(), s.accepted(), s.hlog());
    }

    private static Settings withTimeout(Settings s, long seconds) {
        return new Settings(s.url(), s.connections(), s.threads(), s.durationSeconds(), s.warmupMillis(), seconds, s.requestsPerSecond(),
                s.script(), s.scriptArguments(), s.seed(), s.headers(), s.batchLatency(), s.accepted(), s.hlog());
    }

    private static Settings withSeed(Settings s, int seed) {
        return new Settings(s.url(), s.connections(), s.threads(), s.durationSeconds(), s.warmupMillis(), s.timeoutSeconds(), s.requestsPerSecond(),
                s.script(), s.scriptArguments(), seed, s.headers(), s.batchLatency(), s.accepted(), s.hlog());
    }

    private static Settings withBatchLatency(Settings s) {
        return new Settings(s.url(), s.connections(), s.threads(), s.durationSeconds(), s.warmupMillis(), s.timeoutSeconds(), s.requestsPerSecond(),
                s.script(), s.scriptArguments(), s.seed(), s.headers(), true, s.accepted(), s.hlog());
    }

    private static Settings withLog(Settings s, Path hlog) {
        return new Settings(s.url(), s.connections(), s.threads(), s.durationSeconds(), s.warmupMillis(), s.timeoutSeconds(), s.requestsPerSecond(),
                s.script(), s.scriptArguments(), s.seed(), s.headers(), s.batchLatency(), s.accepted(), hlog);
    }

    private static Settings withAccepted(Settings s, int status) {
        return new Settings(s.url(), s.connections(), s.threads(), s.durationSeconds(), s.warmupMillis(), s.timeoutSeconds(), s.requestsPerSecond(),
                s.script(), s.scriptArguments(), s.seed(), s.headers(), s.batchLatency(), Set.of(status), s.hlog());
    }

    private static LoadResult run(Settings settings) throws IOException, InterruptedException {
        try (LoadRun run = new LoadRun(settings, SILENT, null)) {
            LoadResult result = run.run();
            assertEquals(result.plannedRequests(), result.requests() + result.unfinished().inFlight() + result.unfinished().unsent(),
                    settings.threads(), "every planned request is answered or reported");
            return result;
        }
    }

    /** Requests that are due in a run by its plan. */
    private static double due(Settings s) {
        double due = 0;
        for (int thread = 0; thread < s.threads(); thread++) {
            for (int i = 0; i < s.connectionsOf(thread); i++) {
                due += s.requestsPerSecond() / s.connections() * (s.durationSeconds() - i * 0.005);
            }
        }
        return due;
    }

    /** What was due was planned, and most of it answered: how much of the end of a run is left over is the machine's business. */
    private static void assertMostWasAnswered(double due, LoadResult result) {
        assertEquals(due, result.plannedRequests(), result.connections(), "the plan is the schedule's");
        assertTrue(result.requests() > due / 2 && result.requests() <= result.plannedRequests() + result.connections(),
                "%d of %.0f".formatted(result.requests(), due));
    }

    @ParameterizedTest
    @CsvSource({"1,1,10", "1,1,300", "10,2,300", "10,3,200", "64,4,1000"})
    void everyPlannedRequestIsSentOnce(int connections, int threads, double rate) throws Exception {
        try (TestServer server = TestServer.constant()) {
            Settings settings = settings(server, connections, threads, 2, rate);
            LoadResult result = run(settings);
            assertMostWasAnswered(due(settings), result);
            assertEquals(result.requests(), result.response().count());
            assertEquals(result.plannedRequests(), result.sentRequests() + result.unfinished().unsent());
            assertTrue(server.requests() - result.requests() <= connections, "sent but without a response: at most one a connection");
            assertEquals(connections + 1, server.connections.get(), "all connections and the probe");
            assertEquals(new LoadResult.Errors(0, 0, 0, 0, 0), result.errors());
        }
    }

    @Test
    void afterAStallTheTotalIsConservedAndResponseTimeShowsIt() throws Exception {
        CountDownLatch stallOver = new CountDownLatch(1);
        try (TestServer server = new TestServer((number, head, body) -> {
            if (number >= 100) {
                stallOver.await();
            }
            return TestServer.response(200, "ok");
        })) {
            Thread.ofVirtual().start(() -> {
                try {
                    while (server.requests() < 101) {
                        TimeUnit.MILLISECONDS.sleep(1);
                    }
                    TimeUnit.MILLISECONDS.sleep(1_500); // the stall itself
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
                stallOver.countDown();
            });
            LoadResult result = run(settings(server, 4, 1, 4, 200));
            assertMostWasAnswered(4 * 200, result);
            long slowResponses = Math.round((1 - quantileBelow(result.response(), 500)) * result.requests());
            long slowServices = Math.round((1 - quantileBelow(result.service(), 500)) * result.requests());
            assertTrue(slowResponses >= 150, "requests due in the stall waited for its end: " + slowResponses);
            assertTrue(slowServices <= 2 * 4, "only those under way were slow to be served: " + slowServices);
            LoadResult.Interval worst = result.intervals().stream().filter(i -> i.responseMaxMs() != null)
                    .max((a, b) -> Double.compare(a.responseMaxMs(), b.responseMaxMs())).orElseThrow();
            assertEquals(0.5, worst.startSeconds(), 0.31, "the slowest requests were due when the stall began");
        }
    }

    private static double quantileBelow(LoadResult.Latency latency, double ms) {
        return latency.spectrum().stream().filter(p -> p.ms() < ms).mapToDouble(p -> (double) p.count() / latency.count()).max().orElse(0);
    }

    @Test
    void overloadIsToldAndWhatIsUnfinishedCounted() throws Exception {
        try (TestServer server = new TestServer((number, head, body) -> {
            TimeUnit.MILLISECONDS.sleep(50);
            return TestServer.response(200, "ok");
        })) {
            LoadResult result = run(settings(server, 4, 1, 3, 400));
            assertFalse(result.sustained());
            assertTrue(result.verdict().startsWith("not sustained"), result.verdict());
            assertTrue(result.unfinished().atLeastMs() > 500, "the oldest has waited: " + result.unfinished());
            assertTrue(result.response().meanMs() > 3 * result.service().meanMs());
        }
    }

    @Test
    void aRateThatWasNeverOfferedIsNotSustained() throws Exception {
        try (TestServer server = TestServer.constant()) {
            LoadResult result = run(settings(server, 400, 2, 1, 2_000));
            assertFalse(result.sustained(), "the last connection starts after a second: the plan is half of what was asked for");
            assertTrue(result.verdict().contains("of the 2000 requests asked for were due: connections start 5 ms apart, the last after 1.0s"), result.verdict());
            LoadResult warm = run(withWarmup(settings(server, 40, 2, 1, 400), 1));
            assertEquals(400, warm.plannedRequests(), 40, "connections that start in a warm-up cost nothing of the run");
        }
    }

    @Test
    void errorsAreNoAnswersUnlessTheirStatusIsAccepted() throws Exception {
        try (TestServer server = new TestServer((number, head, body) -> TestServer.response(404, "nothing"))) {
            LoadResult missing = run(settings(server, 1, 1, 1, 50));
            assertEquals("not sustained: 100.0 % errors", missing.verdict());
            assertFalse(missing.isHeld(99, 1e6));
            LoadResult accepted = run(withAccepted(settings(server, 1, 1, 1, 50), 404));
            assertEquals(0, accepted.errorShare());
            assertEquals(accepted.requests(), accepted.statuses().get(404), "they are counted all the same");
        }
    }

    @Test
    void statusesAreCountedAndOnlyThoseAbove399AreErrors() throws Exception {
        int[] statuses = {200, 302, 404, 500};
        try (TestServer server = new TestServer((number, head, body) -> TestServer.response(statuses[number % 4], "x"))) {
            LoadResult result = run(settings(server, 1, 1, 1, 80));
            assertEquals(result.statuses().get(404) + result.statuses().get(500), result.errors().status());
            assertEquals(result.requests(), result.statuses().values().stream().mapToLong(Long::longValue).sum());
            assertEquals(result.requests() / 4.0, result.statuses().get(302), 1);
        }
    }

    @Test
    void aServerThatClosesPolitelyCausesNoErrors() throws Exception {
        try (TestServer server = new TestServer((number, head, body) -> "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\nx")) {
            LoadResult result = run(settings(server, 2, 1, 1, 100));
            assertMostWasAnswered(100, result);
            assertEquals(new LoadResult.Errors(0, 0, 0, 0, 0), result.errors());
        }
    }

    @Test
    void aServerThatHangsUpIsCountedAndConnectedToAgain() throws Exception {
        try (TestServer server = new TestServer((number, head, body) -> number % 10 == 9 ? null : TestServer.response(200, "x"))) {
            LoadResult result = run(settings(server, 2, 1, 1, 100));
            assertMostWasAnswered(100, result);
            assertEquals(result.requests() / 9, result.errors().read(), 2);
        }
    }

    @Test
    void requestsThatAreNeverAnsweredTimeOutOnceEach() throws Exception {
        try (TestServer server = new TestServer((number, head, body) -> {
            TimeUnit.DAYS.sleep(1);
            return null;
        })) {
            Settings s = settings(server, 3, 1, 3, 30);
            LoadResult result = run(withTimeout(s, 1));
            assertEquals(0, result.requests());
            assertEquals(3, result.errors().timeout());
            assertEquals(3, result.unfinished().inFlight());
            assertTrue(result.unfinished().atLeastMs() > 2_500);
        }
    }

    @Test
    void chunkedAndSplitResponsesAreUnderstood() throws Exception {
        try (TestServer server = new TestServer((number, head, body) ->
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n3;x=y\r\n!!!\r\n0\r\nTrailer: t\r\n\r\n")) {
            LoadResult result = run(settings(server, 1, 1, 1, 50));
            assertMostWasAnswered(50, result);
            assertEquals(0, result.errors().read());
        }
    }

    @Test
    void scriptsHaveTheirOwnStateInEachThreadAndGetTheirArguments() throws Exception {
        try (TestServer server = TestServer.constant()) {
            run(withScript(settings(server, 2, 2, 1, 40), """
                    local count = 0
                    function setup(thread)
                      count = count + 1
                      thread:set("name", "t" .. count)
                    end
                    function init(args) prefix = args[1] .. "-" .. #args .. "-" .. name; n = 0 end
                    function request()
                      n = n + 1
                      return wrk.format("PUT", "/" .. prefix .. "/" .. n, {["X-Thread"] = name}, "body" .. n)
                    end
                    """, "A", "B"));
            List<String> all = paths(server);
            HashSet<String> paths = new HashSet<>(all);
            assertEquals(all.size(), paths.size(), "no path twice");
            assertFalse(paths.contains("/A-2-t1/1"), "thread 0 makes one request that is not sent, as in wrk2");
            assertTrue(paths.containsAll(List.of("/A-2-t1/2", "/A-2-t2/1")), paths.toString());
            assertTrue(server.heads().stream().allMatch(h -> h.contains("Host: 127.0.0.1:") && h.contains("X-Thread: t")), server.heads().getFirst());
            assertTrue(server.bodies().stream().allMatch(b -> b.startsWith("body")), server.bodies().getFirst());
        }
    }

    private static final Path SCRIPTS = Path.of("../../scripts/wrk2");

    private static List<String> ids(TestServer server) {
        return paths(server).stream().map(p -> p.substring(p.indexOf("id=") + 3)).toList();
    }

    private static void runProjectScript(TestServer server, String name, String... arguments) throws IOException, InterruptedException {
        Settings s = settings(server, 2, 2, 1, 200);
        run(withScript(s, SCRIPTS.resolve(name), arguments));
    }

    @Test
    void putSequentialWritesEachNumberOnce() throws Exception {
        try (TestServer server = TestServer.constant()) {
            runProjectScript(server, "put-sequential.lua", "1000", "2");
            List<String> ids = ids(server);
            assertEquals(ids.size(), new HashSet<>(ids).size());
            assertTrue(ids.containsAll(List.of("keyNumber1000", "keyNumber1001", "keyNumber1002", "keyNumber1003", "keyNumber1100")), ids.toString());
            assertTrue(server.heads().stream().allMatch(h -> h.startsWith("PUT ")));
            assertTrue(server.bodies().stream().allMatch(b -> b.length() == 690));
        }
    }

    @Test
    void getSequentialStartsAgainAfterTheLastRecord() throws Exception {
        try (TestServer server = TestServer.constant()) {
            runProjectScript(server, "get-sequential.lua", "50", "2");
            assertEquals(50, new HashSet<>(ids(server)).size());
            assertTrue(ids(server).size() > 100, "it began again");
        }
    }

    @Test
    void getRandomStaysWithinTheRecordsAndThreadsDiffer() throws Exception {
        try (TestServer server = TestServer.constant()) {
            runProjectScript(server, "get-random.lua", "1000000");
            List<Integer> numbers = ids(server).stream().map(id -> Integer.parseInt(id.substring("keyNumber".length()))).toList();
            assertTrue(numbers.stream().allMatch(n -> n >= 0 && n < 1_000_000));
            assertTrue(new HashSet<>(numbers).size() > 0.95 * numbers.size(), "threads draw from streams of their own");
        }
    }

    @Test
    void putRandomHasTheIdsAndValuesOfReport000() throws Exception {
        try (TestServer server = TestServer.constant()) {
            runProjectScript(server, "put-random.lua");
            assertTrue(ids(server).stream().allMatch(id -> id.matches("[a-z0-9]{3,10}")), ids(server).toString());
            assertTrue(server.bodies().stream().allMatch(b -> b.length() >= 100 && b.length() <= 200));
        }
    }

    @Test
    void pipelinedBatchesCountEachResponse() throws Exception {
        String three = "function request() return wrk.format('GET', '/1') .. wrk.format('GET', '/2') .. wrk.format('GET', '/3') end";
        try (TestServer server = TestServer.constant()) {
            LoadResult each = run(withScript(settings(server, 1, 1, 1, 90), three));
            assertTrue(each.requests() > 45 && each.requests() % 3 == 0, "batches of three: " + each.requests());
            assertEquals(each.requests(), each.response().count());
            Settings s = withScript(settings(server, 1, 1, 1, 90), three);
            LoadResult last = run(withBatchLatency(s));
            assertEquals(last.requests() / 3, last.response().count());
        }
    }

    @Test
    void responseAndDoneSeeWhatHappened() throws Exception {
        try (TestServer server = new TestServer((number, head, body) ->
                "HTTP/1.1 201 Created\r\nX-Number: %d\r\nContent-Length: 2\r\n\r\nok".formatted(number))) {
            Settings settings = withScript(settings(server, 1, 1, 1, 50), """
                    local threads = {}
                    function setup(thread) threads[#threads + 1] = thread end
                    function response(status, headers, body) seen = status .. headers["X-Number"] .. body; n = (n or 0) + 1 end
                    function done(summary, latency, requests)
                      local f = io.open("%s", "w")
                      f:write(threads[1]:get("n") == summary.requests and "same " or "other ", summary.errors.status, " ",
                        latency.max >= latency:percentile(50) and "ordered" or "not", " ", threads[1]:get("seen"):sub(1, 3))
                      f:close()
                    end
                    """.formatted(folder.resolve("done.txt")));
            try (LoadRun run = new LoadRun(settings, SILENT, null)) {
                run.print(run.run(), true, true);
            }
            assertEquals("same 0 ordered 201", Files.readString(folder.resolve("done.txt")));
        }
    }

    @Test
    void aScriptThatStopsItsThreadEndsTheRun() throws Exception {
        try (TestServer server = TestServer.constant()) {
            LoadResult result = run(withScript(settings(server, 1, 1, 60, 100), """
                    function request()
                      n = (n or 0) + 1
                      if n == 11 then wrk.thread:stop() end
                      return wrk.format()
                    end
                    """));
            assertEquals(10, result.requests(), 2);
        }
    }

    @Test
    void aRunThatEndsInItsWarmUpIsNotSustained() throws Exception {
        try (TestServer server = TestServer.constant()) {
            Settings settings = withScript(settings(server, 1, 1, 1, 100), "function request() wrk.thread:stop() return wrk.format() end");
            LoadResult result = run(withWarmup(settings, 60));
            assertFalse(result.sustained());
            assertEquals("not sustained: no request was due in it", result.verdict());
            assertNull(result.warning());
        }
    }

    @Test
    void aStallThatWasCaughtUpWithIsNoGrowth() throws Exception {
        try (TestServer server = new TestServer((number, head, body) -> {
            if (number == 600) {
                TimeUnit.MILLISECONDS.sleep(700); // the stall itself
            }
            return TestServer.response(200, "ok");
        })) {
            LoadResult result = run(settings(server, 1, 1, 4, 200));
            assertTrue(result.response().maxMs() > 600);
            assertFalse(result.verdict().contains("grew"), result.verdict());
        }
    }

    @Test
    void aMistakeInOneThreadEndsAll() throws Exception {
        try (TestServer server = TestServer.constant()) {
            Settings settings = withScript(settings(server, 2, 2, 100, 100), """
                    local count = 0
                    function setup(thread) thread:set("first", count == 0); count = count + 1 end
                    function request()
                      n = (n or 0) + 1
                      if first and n == 20 then error("enough") end
                      return wrk.format()
                    end
                    """);
            assertTrue(assertThrows(LuaScript.ScriptException.class, () -> run(settings)).getMessage().contains("enough"));
        }
    }

    @Test
    void scriptsMayReplaceHeadersHostAndPort() throws Exception {
        try (TestServer server = TestServer.constant()) {
            run(withScript(settings(server, 1, 1, 1, 10), "wrk.host = 'other'; wrk.port = 81; wrk.headers = {['X-Mine'] = 'yes'}"));
            assertTrue(server.heads().stream().allMatch(h -> h.contains("Host: other:81\r\n") && h.contains("X-Mine: yes")), server.heads().getFirst());
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', value = {
        "x = = 1 | test.lua:1:",
        "function request() return nil .. 'x' end | test.lua:1:",
        "function request() return 5 + {} end | test.lua:1:",
        "function init() error('broken') end | broken",
        "function request() return 'GET / HTTP/1.1' end | no complete HTTP request",
        "function request() return wrk.format() .. 'x' end | no complete HTTP request",
        "function request() end | returned no string"})
    void mistakesOfAScriptNameItsLine(String lua, String expected) throws Exception {
        try (TestServer server = TestServer.constant()) {
            Settings settings = withScript(settings(server, 1, 1, 1, 10), lua);
            String message = assertThrows(LuaScript.ScriptException.class, () -> run(settings)).getMessage();
            assertTrue(message.contains(expected), message);
        }
    }

    @Test
    void requestsSentAgainAreSentOnce() throws Exception {
        try (TestServer server = new TestServer((number, head, body) -> number % 5 == 4 ? null : TestServer.response(200, "x"))) {
            LoadResult result = run(settings(server, 2, 1, 2, 50));
            assertTrue(result.errors().read() > 10, result.errors().toString());
            assertEquals(result.plannedRequests(), result.sentRequests() + result.unfinished().unsent(), 2);
        }
    }

    @Test
    void aServerThatClosesIdleConnectionsIsNoticed() throws Exception {
        try (TestServer server = new TestServer((number, head, body) -> TestServer.response(200, "x") + TestServer.THEN_CLOSE)) {
            LoadResult result = run(settings(server, 1, 1, 1, 20));
            assertMostWasAnswered(20, result);
            assertEquals(result.requests(), result.errors().read(), 2);
        }
    }

    @Test
    void anOverloadedWarmUpLeavesNoBacklog() throws Exception {
        try (TestServer server = new TestServer((number, head, body) -> {
            TimeUnit.MILLISECONDS.sleep(5); // slow answers
            return TestServer.response(200, "x");
        })) {
            LoadResult result = run(withWarmup(settings(server, 1, 1, 2, 1_000), 2));
            assertTrue(result.requests() > 0.5 * 2_000 / result.service().meanMs(), "what was due in the run is sent from its beginning: " + result.requests());
            assertTrue(result.response().maxMs() < 2_100, "no response time from before: " + result.response().maxMs());
        }
    }

    @Test
    void nothingOfTheWarmUpIsCounted() throws Exception {
        try (TestServer server = new TestServer((number, head, body) -> TestServer.response(number < 50 ? 500 : 200, "ok"))) {
            LoadResult result = run(withWarmup(settings(server, 2, 1, 2, 200), 1));
            assertTrue(server.requests() > result.requests() + 50, "there was a warm-up");
            assertEquals(server.requests(), result.requests() + result.warmupRequests(), 4, "but those under way at its end and at the run's");
            assertMostWasAnswered(400, result);
            assertTrue(result.seconds() >= 2, "%s s".formatted(result.seconds()));
            assertEquals(result.requests(), result.response().count());
            assertEquals(Map.of(200, result.requests()), result.statuses());
            int answer = TestServer.response(200, "ok").length();
            assertEquals((double) result.requests() * answer, result.readBytes(), 2 * answer, "bytes of the warm-up are its own, too");
        }
    }

    @Test
    void aRunOfMoreThanTenSecondsDropsTheLatenciesOfTheFirstTenAndKeepsTheCounts() throws Exception {
        try (TestServer server = TestServer.constant()) {
            LoadResult result = run(settings(server, 10, 2, 12, 200));
            assertMostWasAnswered(due(settings(server, 10, 2, 12, 200)), result);
            assertTrue(result.response().count() > 0 && result.response().count() <= result.requests() - 1_500, "of the last two seconds only: " + result.response().count());
            assertEquals(result.response().count(), result.service().count(), 2);
        }
    }

    @Test
    void aSeedRepeatsWhatScriptsDrawWhateverTheySeed() throws Exception {
        String script = """
                math.randomseed(os.time())
                local number = 0
                function setup(thread) thread:set("name", number) number = number + 1 end
                function request() return wrk.format("GET", "/" .. name .. "/" .. math.random(1, 1000000000)) end
                """;
        List<List<List<String>>> drawn = new ArrayList<>(); // by run and thread
        for (int i = 0; i < 2; i++) {
            try (TestServer server = TestServer.constant()) {
                run(withSeed(withScript(settings(server, 2, 2, 1, 100), script), 7));
                List<String> paths = paths(server);
                drawn.add(Stream.of("/0/", "/1/").map(thread -> paths.stream().filter(path -> path.startsWith(thread)).map(path -> path.substring(3)).toList()).toList());
            }
        }
        assertNotEquals(drawn.getFirst().getFirst().getFirst(), drawn.getFirst().getLast().getFirst(), "each thread has a stream of its own");
        for (int thread = 0; thread < 2; thread++) {
            List<String> first = drawn.getFirst().get(thread);
            List<String> again = drawn.getLast().get(thread);
            int both = Math.min(first.size(), again.size());
            assertTrue(both > 10, "numbers were drawn");
            assertEquals(first.subList(0, both), again.subList(0, both), "the same numbers in both runs, as far as both came");
        }
    }

    private static List<String> paths(TestServer server) {
        return server.heads().stream().map(head -> head.split(" ")[1]).toList();
    }

    @Test
    void latenciesAreToldByClassOfStatusToo() throws Exception {
        try (TestServer server = new TestServer((number, head, body) -> {
            if (number % 2 == 0) {
                TimeUnit.MILLISECONDS.sleep(20); // slow answers
                return TestServer.response(200, "ok");
            }
            return TestServer.response(404, "");
        })) {
            LoadResult result = run(settings(server, 1, 1, 2, 20));
            assertEquals(Set.of("2xx", "4xx"), result.responseByStatus().keySet());
            assertTrue(result.responseByStatus().get("2xx").percentileMs(50) > 20);
            assertTrue(result.responseByStatus().get("4xx").percentileMs(50) < result.responseByStatus().get("2xx").percentileMs(50));
            assertEquals(result.response().count(), result.responseByStatus().values().stream().mapToLong(LoadResult.Latency::count).sum());
        }
    }

    @Test
    void theHistogramLogHoldsEveryResponseByTagAndSecond() throws Exception {
        Path file = folder.resolve("run.hlog");
        try (TestServer server = TestServer.constant()) {
            LoadResult result = run(withLog(withWarmup(settings(server, 2, 2, 3, 100), 1), file));
            Map<String, Long> counts = new HashMap<>();
            int intervals = 0;
            try (HistogramLogReader reader = new HistogramLogReader(file.toFile())) {
                while (reader.hasNext()) {
                    Histogram interval = (Histogram) reader.nextIntervalHistogram();
                    counts.merge(interval.getTag(), interval.getTotalCount(), Long::sum);
                    intervals += interval.getTag().equals("response") ? 1 : 0;
                }
            }
            assertEquals(Map.of("response", result.requests(), "service", result.requests(), "lag", result.sentRequests(), "2xx", result.requests()), counts);
            assertTrue(intervals >= 3, intervals + " intervals");
        }
    }

    @Test
    void theGeneratorAllocatesNothingARequest() throws Exception {
        try (TestServer server = TestServer.constant()) {
            LoadResult result = null;
            for (int attempt = 0; attempt < 5 && (result == null || result.cost().allocatedBytesPerRequest() >= 40); attempt++) {
                result = run(withWarmup(settings(server, 4, 1, 2, 2_000), 2)); // until the JIT compiler has come to it
            }
            assertTrue(result.cost().allocatedBytesPerRequest() < 40, result.cost().toString());
            assertTrue(result.cost().cpuSeconds() > 0);
        }
    }

    @Test
    void scriptsMayLookAddressesUpAndChooseThem() throws Exception {
        try (TestServer server = TestServer.constant(); TestServer other = TestServer.constant()) {
            int port = URI.create(other.url()).getPort();
            run(withScript(settings(server, 1, 1, 1, 20), """
                    function setup(thread)
                      local addresses = wrk.lookup("127.0.0.1", "%d")
                      assert(wrk.connect(addresses[1]) and not wrk.connect("127.0.0.1:1"))
                      assert(tostring(thread.addr) == tostring(wrk.addrs[1]))
                      thread.addr = addresses[1]
                    end
                    """.formatted(port)));
            assertEquals(0, server.requests());
            assertTrue(other.requests() > 10, other.requests() + " requests");
        }
    }

    @Test
    void doneMayWalkThroughTheDistribution() throws Exception {
        try (TestServer server = TestServer.constant()) {
            Settings settings = withScript(settings(server, 1, 1, 1, 50), """
                    function done(summary, latency, requests)
                      assert(#latency == summary.requests and #requests > 0)
                      assert(latency[#latency] == latency:percentile(100) and latency[1] <= latency[#latency])
                      local f = io.open("%s", "w") f:write("walked") f:close()
                    end
                    """.formatted(folder.resolve("done.txt")));
            try (LoadRun run = new LoadRun(settings, SILENT, null)) {
                run.print(run.run(), false, false);
            }
            assertEquals("walked", Files.readString(folder.resolve("done.txt")));
        }
    }

    /** Scripts of every form that was found in students' reports, or that comes with wrk. */
    @ParameterizedTest
    @ValueSource(strings = {
        "request = function() return wrk.format(nil, '/a') end",
        "wrk.method = 'POST' wrk.body = 'a=b' wrk.headers['Content-Type'] = 'application/x-www-form-urlencoded'",
        "n = 0 request = function() wrk.headers['X-N'] = n n = n + 1 return wrk.format(nil, '/' .. n) end",
        "path = '/login' request = function() return wrk.format('GET', path) end\n"
            + "response = function(status, headers, body) if status == 200 then path = '/in' wrk.headers['X-Token'] = headers['Content-Length'] end end",
        "init = function(args) local t = {} for i = 1, 3 do t[i] = wrk.format(nil, '/?' .. i) end all = table.concat(t) end request = function() return all end",
        "local all = {} function setup(t) table.insert(all, t) t:set('id', #all) end function init() count = 0 end\n"
            + "function request() count = count + 1 return wrk.format('GET', '/' .. id) end function done() for _, t in ipairs(all) do assert(t:get('count') > 0) end end",
        "done = function(s, latency, requests) for _, p in pairs({50, 90, 99.9}) do assert(latency:percentile(p) > 0) end assert(s.errors.status == 0 and s.duration > 0) end",
        "local found function setup(thread) if not found then found = wrk.lookup(wrk.host, wrk.port or 'http') for i = #found, 1, -1 do\n"
            + "if not wrk.connect(found[i]) then table.remove(found, i) end end end thread.addr = found[math.random(#found)] end",
        "local string = require('string') local math = require('math') math.randomseed(os.clock() * 1000) function request()\n"
            + "local s = '' for i = 1, 10 do s = s .. string.char(math.random(97, 122)) end return wrk.format('PUT', '/v0/entity?id=' .. s, {}, s) end",
        "function request() wrk.method = 'PUT' wrk.body = ('x'):rep(100) return wrk.format(wrk.method, ('/%d'):format(math.random(9)), wrk.headers, wrk.body) end",
        "function request() return wrk.format('DELETE', '/v0/entity?id=' .. math.fmod(math.random(100), 7), {['X-A'] = 'b'}) end",
        "function request() return wrk.format('PUT', '/n', nil, 12345) end"})
    void scriptsOfEveryFormRun(String script) throws Exception {
        try (TestServer server = TestServer.constant()) {
            try (LoadRun run = new LoadRun(withScript(settings(server, 2, 2, 1, 60), script), SILENT, null)) {
                LoadResult result = run.run();
                run.print(result, false, false);
                assertTrue(result.requests() > 30, result.requests() + " requests");
                assertEquals(new LoadResult.Errors(0, 0, 0, 0, 0), result.errors());
            }
        }
    }

    @Test
    void serversOnIpv6AreReached() throws Exception {
        ServerSocket probe;
        try {
            probe = new ServerSocket(0, 1, InetAddress.getByName("::1"));
        } catch (IOException e) {
            assumeTrue(false, "no IPv6 here");
            return;
        }
        probe.close();
        try (TestServer server = new TestServer(InetAddress.getByName("::1"), (number, head, body) -> TestServer.response(200, "ok"))) {
            assertMostWasAnswered(20, run(settings(server, 1, 1, 1, 20)));
            assertTrue(server.heads().getFirst().contains("Host: [0:0:0:0:0:0:0:1]:"), server.heads().getFirst());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "garbage\r\n\r\n",
        "HTTP/1.1 099 No\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nmore than two",
        "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
        "\u0000\u0001\u0002\u0003\r\n"})
    void whatIsNotHttpIsAnErrorAndAnotherConnectionIsTried(String answer) throws Exception {
        try (TestServer server = new TestServer((number, head, body) -> number % 2 == 0 ? answer : TestServer.response(200, "ok"))) {
            LoadResult result = run(settings(server, 1, 1, 2, 20));
            assertTrue(result.errors().read() > 0, result.errors().toString());
            assertTrue(server.connections.get() > 2, "it connected again");
            assertTrue(result.cost().busyShare() < 0.5, "and burnt no core: " + result.cost());
        }
    }

    @Test
    void hugeHeadersArriveAndEndlessOnesAreAnError() throws Exception {
        String pad = "x".repeat(60_000);
        try (TestServer server = new TestServer((number, head, body) ->
                "HTTP/1.1 200 OK\r\nX: %s\r\nY: %s\r\nContent-Length: 0\r\n\r\n".formatted(pad, pad))) {
            LoadResult result = run(settings(server, 1, 1, 1, 20));
            assertMostWasAnswered(20, result);
            assertEquals(0, result.errors().read());
        }
        try (TestServer server = new TestServer((number, head, body) -> "HTTP/1.1 200 OK\r\nX: " + pad + pad)) {
            assertTrue(run(settings(server, 1, 1, 1, 20)).errors().read() > 0);
        }
    }

    @Test
    void aServerThatClosesAtOnceBurnsNoCore() throws Exception {
        try (TestServer server = new TestServer((number, head, body) -> null)) {
            LoadResult result = run(settings(server, 4, 1, 2, 1_000));
            assertEquals(0, result.requests());
            assertTrue(result.errors().read() > 10, result.errors().toString());
            assertTrue(result.cost().busyShare() < 0.5, result.cost().toString());
        }
    }
}
