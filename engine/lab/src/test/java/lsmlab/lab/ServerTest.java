// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.RecordComponent;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import lsmlab.lab.environment.Json;
import lsmlab.lab.measure.Load;
import lsmlab.lab.measure.Run;
import lsmlab.lab.process.Server;
import lsmlab.lab.profile.Profile;
import lsmlab.lab.reports.Reports;
import lsmlab.lab.show.Charts;
import org.junit.jupiter.api.Test;

/** Real server processes, filled, loaded and profiled by the lab's own vocabulary. */
class ServerTest {
    private static final int RECORDS = 3_000;

    @Test
    void aRunIsARowAndAProfileHoldsItsLayers() {
        try (Server server = Lab.server().flushThreshold("256KB").heap("96m").startFilled(RECORDS, "put-sequential.lua")) {
            Load load = Lab.wrk2().script("get-random.lua", RECORDS).connections(2).rate(500).duration("2s").warmup("1s");
            Run[] run = new Run[1];
            Profile profile = Lab.profile(server, "cpu,alloc,lock").during(() -> run[0] = load.run(server));
            assertEquals(run[0].result().requests(), run[0].engine().get("gets"), 6, "but those in flight at the end");
            assertTrue(run[0].profiled() && !load.run(server).profiled());
            assertEquals("262144", run[0].server().get("flushThresholdBytes"));
            assertEquals(Stream.of(Run.class.getRecordComponents()).map(RecordComponent::getName).toList(),
                    Json.MAPPER.valueToTree(run[0]).properties().stream().map(Map.Entry::getKey).toList());
            assertEquals(1, profile.rank("cpu", profile.shares("cpu").keySet().iterator().next()).median());
            assertTrue(Double.isNaN(profile.rank("cpu", "no such layer").median()));
            assertEquals(0, run[0].result().errorShare());
            assertTrue(run[0].perGet("tablesAsked") >= 1);
            assertTrue(run[0].serverCpuShare() > 0);
            assertEquals(1, profile.shares("cpu").values().stream().mapToDouble(Double::doubleValue).sum(), 1e-9);
            assertTrue(profile.shares("cpu").containsKey("socket write"), profile.shares("cpu").toString());
            assertTrue(Charts.flamegraph(profile, "alloc").content().get("text/html").toString().contains("sandbox=\"allow-scripts\""));
            assertFalse(Charts.percentiles(run[0], Reports.figure("001", 76), Reports.figure("000", 15)).content().isEmpty());
            assertTrue(Charts.overTime(run[0]).toString().contains("longest response time"));
            Run frozen = load.freeze("100ms", "300ms").run(server);
            assertTrue(frozen.percentileMs(100) >= 200, "the stop is counted from the first request that is due: " + frozen.percentileMs(100));
        }
    }

    @Test
    void aServerStartsAgainOnWhatAKillOrAnEndHasLeft() {
        for (String wal : List.of("none", "os")) {
            try (Server server = Lab.server().wal(wal).start()) {
                server.write(RECORDS, "put-sequential.lua");
                assertEquals(RECORDS, server.stats().at("/engine/puts").asInt());
                assertTrue(server.end().startAgain() > 0);
                assertTrue(server.get("keyNumber" + (RECORDS - 1)).startsWith("200 "), "an end flushes");
                server.put("written last", "a value");
                server.kill();
                assertTrue(assertThrows(IllegalStateException.class, () -> server.get("keyNumber0")).getMessage().contains("ended with status 137"));
                server.startAgain();
                assertTrue(server.get("keyNumber0").startsWith("200 "));
                assertEquals(wal.equals("os") ? "200 a value" : "404 no such id", server.get("written last"));
                assertTrue(assertThrows(IllegalStateException.class, server::startAgain).getMessage().endsWith("runs: startAgain() follows kill() or end()"));
                server.stop();
                assertTrue(assertThrows(IllegalStateException.class, server::startAgain).getMessage().contains("was stopped"));
            }
        }
    }

    @Test
    void mistakesAreExplained() {
        IllegalStateException badOption = assertThrows(IllegalStateException.class, () -> Lab.server().pruning("magic").start());
        assertTrue(badOption.getMessage().contains("'magic' is none of bloom, map, range, range-from-file, none"), badOption.getMessage());
        try (Server server = Lab.server().start()) {
            assertThrows(IllegalArgumentException.class, () -> server.fill(1, "no-such.lua"));
            IllegalStateException badScript = assertThrows(IllegalStateException.class,
                    () -> Lab.wrk2().script("get-random.lua").warmup("1s").run(server));
            assertTrue(badScript.getMessage().contains("say how many records there are"), badScript.getMessage());
        }
        assertThrows(IllegalArgumentException.class, () -> Reports.figure("001", 1));
        assertThrows(IllegalArgumentException.class, () -> Reports.figure("009", 1));
    }
}
