// SPDX-License-Identifier: Apache-2.0
package lsmlab.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import lsmlab.load.plan.Settings;
import lsmlab.load.result.LoadResult;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogReader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Totals, order and schedule of real runs; never speed. */
class LoadRunTest extends LoadRuns {
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

    /** The plan is drawn; what was drawn is sent. */
    @Test
    void exponentialArrivalsAreThePlanThatTheSeedDrew() throws Exception {
        try (TestServer server = TestServer.constant()) {
            Settings settings = withSeed(withExponentialArrivals(settings(server, 8, 2, 1, 500)), 7);
            LoadResult result = run(settings);
            assertEquals(500, result.plannedRequests(), 150); // six standard deviations of 22, and what starts 5 ms later
            assertEquals(result.plannedRequests(), run(settings).plannedRequests());
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
}
