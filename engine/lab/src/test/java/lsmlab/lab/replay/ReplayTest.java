// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.replay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.stream.IntStream;
import lsmlab.lab.Lab;
import lsmlab.lab.measure.Run;
import lsmlab.lab.process.Server;
import lsmlab.lab.process.ServerTrace;
import lsmlab.lab.show.Charts;
import org.junit.jupiter.api.Test;

class ReplayTest {
    private static final double LEAST_FRAMES_A_SECOND = 1; // half of what a machine with nothing else to do gets

    @Test
    void itsFramesShowTheTreeGrow() {
        try (Server server = Lab.server().flushThreshold("256KB").start()) {
            Run run = Lab.wrk2().script("put-sequential.lua", 0, 1).connections(4).rate(2_000).duration("2s").run(server);
            Replay replay = Lab.replay(run);
            List<ServerTrace.Frame> frames = replay.frames();
            assertTrue(frames.size() >= LEAST_FRAMES_A_SECOND * replay.seconds(), frames.size() + " frames");
            assertEquals(256 << 10, replay.flushThresholdBytes());
            assertTrue(frames.getLast().layout().runs().stream().mapToLong(one -> one.bytes()).sum() > frames.getFirst().layout().runs().stream().mapToLong(one -> one.bytes()).sum());
            assertAsManyWritesAsRequests(frames.getFirst(), frames.getLast(), replay.heat());
            assertTrue(replay.events().stream().anyMatch(event -> event.kind().equals("FLUSH")));
            long seen = replay.heat().counts().stream().flatMap(List::stream).mapToLong(Integer::longValue).sum();
            assertEquals(run.result().requests(), seen, 0.05 * seen, "each request is in the heat map");
            assertTrue(Charts.replay(replay).content().get("text/html").toString().contains("lsmlab-replay"));
        }
    }

    /** Where the frames are in their columns is not looked at: those two and their neighbours may count or not. */
    private static void assertAsManyWritesAsRequests(ServerTrace.Frame first, ServerTrace.Frame last, HeatMap heat) {
        int from = (int) (first.nanos() / 1e9 / heat.columnSeconds());
        int to = (int) (last.nanos() / 1e9 / heat.columnSeconds());
        long writes = last.counts().get("writes") - first.counts().get("writes");
        assertTrue(requests(heat, from + 2, to - 1) <= writes, "fewer writes than requests between the frames");
        assertTrue(writes <= requests(heat, from - 1, to + 2), "more writes than requests between the frames");
    }

    private static long requests(HeatMap heat, int fromColumn, int toColumn) {
        return IntStream.range(Math.max(0, fromColumn), Math.min(toColumn, heat.counts().size())).mapToObj(heat.counts()::get).flatMap(List::stream).mapToLong(Integer::longValue).sum();
    }

    @Test
    void aTimeOutsideOfTheMapIsInItsLastRowOrNowhere() {
        HeatMap map = HeatMap.of(1, 0.5, new double[] {-0.1, 0, 0.6, 0.6, 1.2}, new double[] {1, 0.001, 0.1, 1e9, 1});
        assertEquals(List.of(1), map.counts().getFirst());
        assertEquals(24, map.counts().getLast().size());
        assertEquals(2, map.counts().getLast().stream().mapToInt(Integer::intValue).sum());
    }
}
