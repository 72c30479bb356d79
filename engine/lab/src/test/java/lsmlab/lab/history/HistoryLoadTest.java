// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.history;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import lsmlab.lab.Lab;
import lsmlab.lab.measure.Timeline.Step;
import lsmlab.lab.process.Cassandra;
import lsmlab.lab.process.Cluster;
import lsmlab.lab.process.Server;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/** Majorities of three nodes, while nodes are killed: what was acknowledged is read. {@code -Dlsmlab.kills=N} sets how many kills Cassandra gets, fourteen seconds each. */
class HistoryLoadTest {
    private static final int KILLS = Integer.getInteger("lsmlab.kills", 20);
    private static final int NODES = 3;

    @Test
    void ourClusterByMajority() {
        try (Cluster cluster = Lab.server().workers("pool").flushThreshold("64KB").cluster(NODES)) {
            Server third = cluster.nodes().get(2);
            History history = Lab.history(cluster.first(), cluster.nodes().get(1)).clients(4, 3).duration("15s").label("ours")
                    .run(Lab.step("1s", "killed", third::kill), Lab.step("2s", "starts", third::startAgain),
                            Lab.step("4s", "frozen", () -> third.freeze("500ms")));
            assertKept(history, 3);
        }
    }

    @Test
    @EnabledIfEnvironmentVariable(named = "LSM_LAB_ALL_TESTS", matches = "1")
    void cassandraAtQuorumKeepsWhatItAcknowledged() {
        try (Cassandra cassandra = Lab.cassandra(NODES).start()) {
            Random random = new Random(1);
            List<Step> steps = Stream.generate(() -> 1 + random.nextInt(NODES)).limit(KILLS).flatMap(node -> Stream.of(
                    Lab.step("1s", "node %d is killed".formatted(node), () -> cassandra.kill(node)),
                    Lab.step("1s", "node %d starts".formatted(node), () -> cassandra.restart(node)))).toList();
            History history = Lab.history(cassandra.first()).clients(4, 4).duration("%ds".formatted(14 * KILLS)).label("QUORUM").run(steps.toArray(Step[]::new));
            assertKept(history, 2 * KILLS);
        }
    }

    private static void assertKept(History history, int steps) {
        System.out.println(history);
        assertEquals(steps, history.events().size());
        assertTrue(history.reads() > 100 && history.writes() > 50, history.toString());
        assertEquals(List.of(), history.staleReads());
        assertEquals(List.of(), history.lost());
    }
}
