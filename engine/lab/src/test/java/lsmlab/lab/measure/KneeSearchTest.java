// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.measure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.stream.Stream;
import lsmlab.lab.Lab;
import lsmlab.lab.environment.Json;
import lsmlab.lab.process.Server;
import lsmlab.lab.show.Charts;
import lsmlab.lab.show.Tables;
import lsmlab.load.result.Interval;
import org.junit.jupiter.api.Test;

/** Searches of real servers: schedules, sums and words, never speeds. */
class KneeSearchTest {
    private static final int RECORDS = 3_000;

    private static KneeSearch search(Server... servers) {
        return Lab.knee(servers).script("get-random.lua", RECORDS).connections(4);
    }

    @Test
    void severalServersAreSearchedInTurnsBesideTheYardstick() throws Exception {
        try (Server small = Lab.server().pruning("none").compaction("none").flushThreshold("64KB").heap("96m").label("small").startFilled(RECORDS, "put-sequential.lua");
                Server large = Lab.server().pruning("none").compaction("none").flushThreshold("1MB").heap("96m").label("large").startFilled(RECORDS, "put-sequential.lua")) {
            Knee[] knees = search(small, large).searchAll();
            assertEquals("small, get-random 3000", knees[0].label());
            assertTrue(knees[0].perGet("tablesAsked") > 2 * knees[1].perGet("tablesAsked"), "small tables are many");
            for (Knee knee : knees) {
                assertEquals("p99 below 10 ms, errors at most 0.1 %, no backlog", knee.level());
                assertTrue(knee.found().trials().size() >= 3, knee.toString());
                assertTrue(knee.found().trials().stream().allMatch(trial -> trial.errorShare() == 0 && trial.share() > 0), knee.toString());
                assertEquals(knee, Json.MAPPER.readValue(Json.MAPPER.writeValueAsString(knee), Knee.class), "a row holds all of it");
                assertTrue(Tables.trials(knee).toString().contains("held"));
            }
            Interval ratio = knees[0].over(knees[1]);
            assertTrue(Double.isNaN(ratio.median()) || ratio.low() <= ratio.median() && ratio.median() <= ratio.high(), ratio.toString());
            String table = Tables.of(knees).toString();
            assertTrue(table.indexOf("tables asked per GET") < table.indexOf("share of the yardstick"), table);
            assertTrue(Charts.knees(knees).content().values().iterator().next().toString().contains("circle-open"));
            assertTrue(assertThrows(IllegalStateException.class, () -> search(small, large).search()).getMessage().contains(".searchAll()"));
        }
    }

    @Test
    void whereThereIsNoKneeItSaysWhyAndWhatToDo() {
        try (Server slow = Lab.server().device("seek=2ms,rate=100MB,cache=0KB").flushThreshold("64KB").heap("96m").label("slow").startFilled(RECORDS, "put-sequential.lua")) {
            Knee knee = search(slow).p99("1ms").search();
            assertTrue(knee.found().words().startsWith("no knee: "), knee.toString());
            assertTrue(knee.rate() > 0 && knee.lowRate() == knee.rate() && knee.highRate() == knee.rate(), "a notebook goes on");
            assertEquals(Interval.UNKNOWN, knee.over(knee));
            assertTrue(Stream.of(Tables.of(knee).toString(), Charts.knees(knee).content().toString()).allMatch(shown -> shown.contains("no knee: ")));
        }
    }

    @Test
    void mistakesAreExplained() {
        try (Server server = Lab.server().heap("96m").start()) {
            assertTrue(assertThrows(IllegalStateException.class, () -> search(server).search()).getMessage().contains("100.0 % of the answers are errors"), "the store is empty");
            assertTrue(assertThrows(IllegalArgumentException.class, () -> Lab.knee()).getMessage().contains("needs servers"));
            assertTrue(assertThrows(IllegalArgumentException.class, () -> Lab.knee(server).p99("0ms")).getMessage().contains("a bound is like 10ms"));
        }
    }
}
