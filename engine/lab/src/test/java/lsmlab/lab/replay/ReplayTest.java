// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.replay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import lsmlab.lab.Lab;
import lsmlab.lab.measure.Run;
import lsmlab.lab.process.Server;
import lsmlab.lab.process.ServerTrace;
import lsmlab.lab.show.Charts;
import org.junit.jupiter.api.Test;

class ReplayTest {
    private static final double LEAST_FRAMES_A_SECOND = 2;

    @Test
    void itsFramesShowTheTreeGrow() {
        try (Server server = Lab.server().flushThreshold("256KB").start()) {
            Run run = Lab.wrk2().script("put-sequential.lua", 0, 1).connections(4).rate(2_000).duration("2s").run(server);
            Replay replay = Lab.replay(run);
            List<ServerTrace.Frame> frames = replay.frames();
            assertTrue(frames.size() >= LEAST_FRAMES_A_SECOND * replay.seconds(), frames.size() + " frames");
            assertEquals(256 << 10, replay.flushThresholdBytes());
            assertTrue(frames.getLast().layout().runs().stream().mapToLong(one -> one.bytes()).sum() > frames.getFirst().layout().runs().stream().mapToLong(one -> one.bytes()).sum());
            long writes = frames.getLast().counts().get("writes") - frames.getFirst().counts().get("writes");
            assertEquals(2_000 * (frames.getLast().nanos() - frames.getFirst().nanos()) / 1e9, writes, 1_000, "as many as came in between");
            assertTrue(replay.events().stream().anyMatch(event -> event.kind().equals("FLUSH")));
            long seen = replay.heat().counts().stream().flatMap(List::stream).mapToLong(Integer::longValue).sum();
            assertEquals(run.result().requests(), seen, 0.05 * seen, "each request is in the heat map");
            assertTrue(Charts.replay(replay).content().get("text/html").toString().contains("lsmlab-replay"));
        }
    }

    @Test
    void aTimeOutsideOfTheMapIsInItsLastRowOrNowhere() {
        HeatMap map = HeatMap.of(1, 0.5, new double[] {-0.1, 0, 0.6, 0.6, 1.2}, new double[] {1, 0.001, 0.1, 1e9, 1});
        assertEquals(List.of(1), map.counts().getFirst());
        assertEquals(24, map.counts().getLast().size());
        assertEquals(2, map.counts().getLast().stream().mapToInt(Integer::intValue).sum());
    }
}
