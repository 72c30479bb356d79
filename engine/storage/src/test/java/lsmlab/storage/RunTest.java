// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.stream.IntStream;
import lsmlab.storage.compaction.Run;
import lsmlab.storage.compaction.SortedTable;
import lsmlab.storage.keys.Keys;
import org.junit.jupiter.api.Test;

/** A run finds the table of a key. */
class RunTest {
    private record Ends(MemorySegment firstKey, MemorySegment lastKey) implements SortedTable {
        @Override
        public long number() {
            return 1;
        }

        @Override
        public long bytes() {
            return 1;
        }

        boolean areAround(MemorySegment key) {
            return Keys.compare(firstKey, key) <= 0 && Keys.compare(key, lastKey) <= 0;
        }
    }

    private static final int MOST_TABLES = 40;
    private static final int PROBES = 100;

    private final Random random = new Random(25);
    private int around;

    /** Of few different bytes, the lowest and the highest among them, so that many begin alike. */
    private MemorySegment key(int stemBytes) {
        byte[] key = new byte[stemBytes + random.nextInt(14)];
        for (int i = stemBytes; i < key.length; i++) {
            key[i] = new byte[] {0, 1, 127, -128, -1}[random.nextInt(5)];
        }
        return MemorySegment.ofArray(key);
    }

    private Run<Ends> run(int stemBytes) {
        TreeSet<MemorySegment> ends = new TreeSet<>(Keys::compare);
        int tables = 1 + random.nextInt(MOST_TABLES);
        while (ends.size() < 2 * tables) {
            ends.add(key(stemBytes));
        }
        List<MemorySegment> sorted = new ArrayList<>(ends);
        return new Run<>(0, 1, IntStream.range(0, tables).mapToObj(i -> new Ends(sorted.get(2 * i), sorted.get(2 * i + 1))).toList());
    }

    private void check(Run<Ends> run, MemorySegment key) {
        assertEquals(run.tables().stream().filter(table -> Keys.compare(table.lastKey(), key) < 0).count(), run.indexOf(key));
        Ends found = run.tableAround(key);
        assertTrue(found == null || found.areAround(key));
        around += found == null ? 0 : 1;
    }

    @Test
    void noTableIsTakenForAnother() {
        for (int tries = 0; tries < 1_000; tries++) {
            int stemBytes = random.nextInt(12);
            Run<Ends> run = run(stemBytes);
            for (int probe = 0; probe < PROBES; probe++) {
                check(run, key(random.nextInt(4) == 0 ? 0 : stemBytes));
            }
            run.tables().forEach(table -> {
                check(run, table.firstKey());
                check(run, table.lastKey());
            });
        }
        assertTrue(around > 10_000, "only " + around);
    }

    @Test
    void whereKeysSpreadPrefixesTell() {
        for (int tables : new int[] {1, 16, 17, MOST_TABLES}) {
            Run<Ends> run = new Run<>(0, 1, IntStream.range(0, tables).mapToObj(i -> new Ends(Bytes.of("key%06d".formatted(100 * i)), Bytes.of("key%06d".formatted(100 * i + 98)))).toList());
            for (int i = 0; i < tables; i++) {
                assertEquals(run.tables().get(i), run.tableAround(Bytes.of("key%06d".formatted(100 * i + 50))));
            }
        }
    }
}
