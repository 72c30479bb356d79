// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.measure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import lsmlab.lab.Lab;
import lsmlab.lab.environment.Json;
import lsmlab.lab.notebook.Turn;
import lsmlab.lab.process.Server;
import lsmlab.lab.process.ServerBuilder;
import lsmlab.lab.show.Charts;
import lsmlab.lab.show.Tables;
import lsmlab.load.result.Interval;
import lsmlab.load.result.Slice;
import org.junit.jupiter.api.Test;

/** Real servers in turns: schedules, sums and words, never speeds. */
class ComparisonTest {
    private static final int RECORDS = 3_000;
    private static final ServerBuilder SEARCHED = Lab.server().pruning("none").search("binary").compaction("none").heap("96m");
    private static final Load LOAD = Lab.wrk2().script("get-random.lua", RECORDS).connections(4).closed();

    @Test
    void serversAreLoadedInTurnsBesideTheFirstOnesSecondInstance() throws Exception {
        try (Server small = SEARCHED.flushThreshold("64KB").label("small").startFilled(RECORDS, "put-sequential.lua");
                Server large = SEARCHED.flushThreshold("1MB").label("large").startFilled(RECORDS, "put-sequential.lua")) {
            Comparison found = ComparisonRun.of(LOAD, new ComparisonRun.Extent(6, 50, 600), small, large);
            assertEquals(List.of("small", "large", "small, again"), found.servers());
            List<Slice> slices = found.found().slices();
            for (int target = 0; target < 3; target++) {
                int same = target;
                assertEquals(6, slices.stream().filter(slice -> slice.turn().target() == same).map(slice -> slice.turn().round()).distinct().count());
                long answered = slices.stream().filter(slice -> slice.turn().target() == same).mapToLong(slice -> slice.answers().requests()).sum();
                assertTrue(found.engine().get(target).get("gets") >= answered, "the engine counts the warm-up, too");
            }
            assertTrue(found.perGet(0, "tablesAsked") > 2 * found.perGet(1, "tablesAsked"), "small tables are many");
            assertEquals(found.perGet(0, "tablesAsked"), found.perGet(2, "tablesAsked"), 1, "the second instance has the same tables");
            Interval cpu = found.ratio("large", "cpuMicrosPerRequest");
            assertTrue(cpu.low() <= cpu.median() && cpu.median() <= cpu.high());
            assertTrue(found.again("throughput").median() > 0);
            assertNull(found.measuredBeside());
            Comparison read = Json.MAPPER.readValue(Json.MAPPER.writeValueAsString(found), Comparison.class);
            assertEquals(found, read, "a row holds all of it");
            String table = Tables.of(found).toString();
            assertTrue(table.indexOf("tables asked per GET") < table.indexOf("processor time a request") && table.indexOf("processor time a request") < table.indexOf("p99"), table);
            assertTrue(Charts.ratios(found).content().values().iterator().next().toString().contains("error_x"));
            assertTrue(assertThrows(IllegalArgumentException.class, () -> found.ratio("none", "p99Ms")).getMessage().contains("'none' is not compared with small"));
            assertTrue(assertThrows(IllegalArgumentException.class, () -> found.ratio("large", "p98")).getMessage().contains("'p98' is not measured"));
        }
    }

    @Test
    void theNoiseFloorSaysWhatCanBeToldApart() {
        NoiseFloor floor = NoiseFloor.measure();
        assertTrue(floor.slices() >= 24 && floor.disturbed() <= floor.slices(), floor.toString());
        assertTrue(floor.smallestCpuEffect() >= 0 && floor.smallestThroughputEffect() >= 0, floor.toString());
        assertTrue(floor.words().matches("(?s).*differ by up to (\\d+ %|any size) in processor time a request and (\\d+ %|any size) in throughput.*"), floor.words());
    }

    @Test
    void whoElseMeasuresIsNamed() {
        try (Turn _ = Turn.take("something")) { // waits for the tests that measure in another process
            assertNull(Turn.other(), "that is this one");
        }
    }

    @Test
    void mistakesAreExplained() {
        try (Server server = SEARCHED.start(); Server stopped = SEARCHED.label("stopped").start()) {
            assertTrue(assertThrows(IllegalArgumentException.class, () -> Lab.compare(LOAD, server, server)).getMessage().contains("give each a .label"));
            assertTrue(assertThrows(IllegalStateException.class, () -> ComparisonRun.of(LOAD, new ComparisonRun.Extent(2, 50, 100), server, stopped)).getMessage()
                    .contains("100.0 % of the answers are errors, by status {404="), "the stores are empty");
            stopped.stop();
            assertTrue(assertThrows(IllegalArgumentException.class, () -> Lab.compare(LOAD, server)).getMessage().contains("takes two or more"));
            assertTrue(assertThrows(IllegalStateException.class, () -> Lab.compare(LOAD, server, stopped)).getMessage().contains("'stopped' was stopped"));
            assertTrue(assertThrows(IllegalArgumentException.class, () -> LOAD.run(server)).getMessage().contains("Lab.compare(load, server, another)"));
            assertFalse(server.get("nothing").isEmpty(), "it serves on");
        }
    }
}
