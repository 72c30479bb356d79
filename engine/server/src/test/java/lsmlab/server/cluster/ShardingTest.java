// SPDX-License-Identifier: Apache-2.0
package lsmlab.server.cluster;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ShardingTest {
    private static final int KEYS = 30_000;

    private static List<String> nodes(int count) {
        List<String> nodes = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            nodes.add("http://localhost:" + (8080 + i));
        }
        return nodes;
    }

    private static long key(int number) {
        return Sharding.hash(("keyNumber" + number).getBytes(StandardCharsets.US_ASCII));
    }

    @ParameterizedTest
    @EnumSource
    void replicasAreDifferentNodesAndFewerAreTheFirstOfMore(Sharding sharding) {
        Sharding.Placement placement = sharding.over(nodes(5));
        for (int i = 0; i < 1_000; i++) {
            int[] all = placement.replicas(null, key(i), 5);
            assertArrayEquals(new int[] {0, 1, 2, 3, 4}, Arrays.stream(all).sorted().toArray());
            for (int count = 1; count < 5; count++) {
                assertArrayEquals(Arrays.copyOf(all, count), placement.replicas(null, key(i), count));
            }
            assertArrayEquals(all, sharding.over(nodes(5)).replicas(null, key(i), 5));
        }
    }

    @ParameterizedTest
    @EnumSource
    void keysAreSpread(Sharding sharding) {
        Sharding.Placement placement = sharding.over(nodes(3));
        int[] first = new int[3];
        int[] second = new int[3];
        for (int i = 0; i < KEYS; i++) {
            int[] replicas = placement.replicas(null, key(i), 2);
            first[replicas[0]]++;
            second[replicas[1]]++;
        }
        double allowed = sharding == Sharding.RING ? 0.2 : 0.03;
        for (int node = 0; node < 3; node++) {
            assertEquals(1, first[node] / (KEYS / 3.0), allowed, Arrays.toString(first));
            assertEquals(1, second[node] / (KEYS / 3.0), 2 * allowed, Arrays.toString(second));
        }
    }

    /** What a node that joins takes: its share of the keys, or, with modulo, nearly everything moves. */
    @ParameterizedTest
    @EnumSource
    void keysThatMoveWhenANodeJoins(Sharding sharding) {
        Sharding.Placement before = sharding.over(nodes(3));
        Sharding.Placement after = sharding.over(nodes(4));
        int moved = 0;
        for (int i = 0; i < KEYS; i++) {
            int from = before.replicas(null, key(i), 1)[0];
            int to = after.replicas(null, key(i), 1)[0];
            if (from != to) {
                moved++;
                assertTrue(sharding == Sharding.MODULO || to == 3, "keys move to the new node only");
            }
        }
        assertEquals(sharding == Sharding.MODULO ? 0.75 : 0.25, moved / (double) KEYS, 0.05);
    }

    @Test
    void versionsRise() {
        Clock clock = new Clock(5);
        long last = 0;
        for (int i = 0; i < 100_000; i++) {
            long next = clock.next();
            assertTrue(next > last);
            assertEquals(5, next & 255);
            last = next;
        }
        long ahead = last + (1L << 36) + 3; // four and a half minutes
        clock.saw(ahead);
        assertTrue(clock.next() > ahead, "a write after one of a node whose clock is ahead is the newer one");
    }
}
