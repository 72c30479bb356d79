// SPDX-License-Identifier: Apache-2.0
package lsmlab.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import lsmlab.load.machine.ProcessClock;
import lsmlab.load.plan.Settings;
import lsmlab.load.result.RoundsResult;
import lsmlab.load.result.LoadResult;
import lsmlab.load.result.Ratio;
import lsmlab.load.result.Slice;
import lsmlab.load.rounds.Plan;
import lsmlab.load.rounds.Rounds;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

/** Schedules, sums and words of real rounds; never speed. */
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
class RoundsTest extends LoadRuns {
    private static final long WARMUP_MILLIS = 200;

    private static Plan closed(int rounds) {
        return new Plan(0, false, TimeUnit.MILLISECONDS.toNanos(50), rounds, 1, WARMUP_MILLIS);
    }

    private static Rounds rounds(Plan plan, List<ProcessClock> clocks, TestServer... servers) {
        List<Settings> targets = new ArrayList<>();
        for (TestServer server : servers) {
            targets.add(settings(server, 4, 2, 1, 100));
        }
        return new Rounds(targets, clocks, plan, _ -> {}, () -> {});
    }

    private static long sum(RoundsResult comparison, int target) {
        return comparison.slices().stream().filter(slice -> slice.turn().target() == target).mapToLong(slice -> slice.answers().requests()).sum();
    }

    @Test
    void eachRoundLoadsEachTargetOverConnectionsThatStayOpen() throws Exception {
        try (TestServer first = TestServer.constant(); TestServer second = TestServer.constant(); TestServer third = TestServer.constant()) {
            RoundsResult comparison = rounds(closed(6), List.of(), first, second, third).run();
            List<Slice> counting = comparison.slices();
            for (int round = 0; round < 6; round++) {
                int now = round;
                Set<Integer> loaded = counting.stream().filter(slice -> slice.turn().round() == now).map(slice -> slice.turn().target()).collect(Collectors.toSet());
                assertEquals(Set.of(0, 1, 2), loaded);
            }
            assertTrue(new HashSet<>(IntStream.range(0, 6).mapToObj(round -> counting.stream().filter(slice -> slice.turn().round() == round)
                    .map(slice -> slice.turn().target()).distinct().toList()).toList()).size() > 1, "the order is shuffled");
            TestServer[] servers = {first, second, third};
            for (int i = 0; i < servers.length; i++) {
                assertEquals(4 + 1, servers[i].connections.get(), "of the load, and the probe");
                assertTrue(servers[i].requests() > sum(comparison, i), "warm-up is not counted");
                assertEquals(sum(comparison, i), comparison.targets().get(i).requests());
                assertEquals(sum(comparison, i), comparison.targets().get(i).response().count());
            }
            for (int i = 1; i < counting.size(); i++) {
                Slice.Turn before = counting.get(i - 1).turn();
                assertTrue(counting.get(i).turn().startSeconds() >= before.startSeconds() + before.seconds(), "one at a time");
            }
            assertEquals(List.of("throughput", "p50Ms", "p99Ms"), comparison.ratios().stream().filter(ratio -> ratio.target().equals(second.url())).map(Ratio::measure).toList());
            assertTrue(comparison.ratios().stream().allMatch(ratio -> ratio.base().equals(first.url()) && ratio.low() <= ratio.median() && ratio.median() <= ratio.high()),
                    comparison.ratios().toString());
            assertEquals("closed loop", comparison.method().load());
            assertTrue(comparison.method().lostShare() >= 0 && comparison.method().warmupSeconds() >= WARMUP_MILLIS / 1e3);
        }
    }

    @Test
    void inAnOpenLoopEachSliceHasItsPlan() throws Exception {
        try (TestServer first = TestServer.constant(); TestServer second = TestServer.constant()) {
            Plan plan = new Plan(200, false, TimeUnit.MILLISECONDS.toNanos(100), 4, 1, WARMUP_MILLIS);
            RoundsResult comparison = rounds(plan, List.of(), first, second).run();
            for (Slice slice : comparison.slices()) {
                assertEquals(20, slice.answers().planned());
                assertEquals(20, slice.answers().requests() + slice.answers().unsent() + slice.answers().missing());
            }
            LoadResult target = comparison.targets().getFirst();
            assertEquals(200, target.requestedPerSecond());
            assertEquals(comparison.slices().stream().filter(slice -> slice.turn().target() == 0).count() * 20, target.plannedRequests());
        }
    }

    @Test
    void whatIsSlowerShowsInEachMeasure() throws Exception {
        try (TestServer first = TestServer.constant(); TestServer slow = new TestServer((number, head, body) -> {
            TimeUnit.MILLISECONDS.sleep(10);
            return TestServer.response(200, "ok");
        })) {
            RoundsResult comparison = rounds(closed(6), List.of(new ProcessClock(ProcessHandle.current().pid()), new ProcessClock(ProcessHandle.current().pid())), first, slow).run();
            List<Ratio> ratios = comparison.ratios();
            assertEquals(List.of("cpuMicrosPerRequest", "throughput", "p50Ms", "p99Ms"), ratios.stream().map(Ratio::measure).toList());
            assertTrue(ratios.get(1).median() < 1 && ratios.get(2).median() > 1, ratios.toString());
            assertTrue(comparison.slices().stream().allMatch(slice -> slice.targetCpuSeconds() > 0));
        }
    }

    @Test
    void aTargetThatEndsInTheMiddleIsNamed() throws Exception {
        AtomicBoolean dead = new AtomicBoolean();
        try (TestServer first = TestServer.constant(); TestServer second = new TestServer((number, head, body) -> dead.get() ? null : TestServer.response(200, "ok"))) {
            Runnable end = second::close;
            Rounds rounds = new Rounds(List.of(settings(first, 2, 1, 1, 100), settings(second, 2, 1, 1, 100)), List.of(), closed(1_000), progress -> {
                if (progress.startsWith("  round 3 ")) {
                    dead.set(true); // its connections end
                    end.run();
                }
            }, () -> {});
            assertEquals(second.url() + " does not answer any more", assertThrows(IOException.class, rounds::run).getMessage());
        }
    }

    /** Stops itself when a round begins. */
    private static Rounds stoppedIn(int round, TestServer first, TestServer second) {
        Rounds[] rounds = new Rounds[1];
        rounds[0] = new Rounds(List.of(settings(first, 2, 1, 1, 100), settings(second, 2, 1, 1, 100)), List.of(), closed(1_000), progress -> {
            if (progress.startsWith("  round " + round + " ")) {
                rounds[0].stop();
            }
        }, () -> {});
        return rounds[0];
    }

    @Test
    void ofRoundsThatAreStoppedThoseThatAreFinishedAreReported() throws Exception {
        try (TestServer first = TestServer.constant(); TestServer second = TestServer.constant()) {
            RoundsResult found = stoppedIn(5, first, second).run();
            assertEquals(4, found.method().rounds());
            assertEquals(List.of(0, 1, 2, 3), found.slices().stream().map(slice -> slice.turn().round()).distinct().toList());
            assertEquals(sum(found, 0), found.targets().get(0).requests());
        }
    }

    @Test
    void roundsThatAreStoppedTooEarlyEndWithoutAReport() throws Exception {
        try (TestServer first = TestServer.constant(); TestServer second = TestServer.constant()) {
            assertThrows(CancellationException.class, stoppedIn(2, first, second)::run);
            assertTrue(Thread.getAllStackTraces().keySet().stream().noneMatch(thread -> thread.getName().matches("load-\\d+")), "no thread is left");
        }
    }

    @Test
    void aTargetThatIsNotThereIsOneLine() throws Exception {
        try (TestServer first = TestServer.constant()) {
            Settings nobody = settings(first, 2, 1, 1, 100).withUrl(URI.create("http://127.0.0.1:1/path?q=1"));
            Rounds rounds = new Rounds(List.of(settings(first, 2, 1, 1, 100), nobody), List.of(), closed(2), _ -> {}, () -> {});
            String message = assertThrows(IOException.class, rounds::run).getMessage();
            assertNotNull(message);
            assertTrue(message.startsWith("unable to connect to 127.0.0.1:1"), message);
        }
    }
}
