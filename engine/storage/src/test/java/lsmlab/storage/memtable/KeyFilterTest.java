// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage.memtable;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.stream.IntStream;
import lsmlab.storage.keys.Keys;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KeyFilterTest {
    private static final int EXPECTED = 10_000;
    private static final int ABSENT = 100_000;

    private static long hash(int key) {
        byte[] bytes = "%016d".formatted(key).getBytes();
        return Keys.hash(MemorySegment.ofArray(bytes), 0, bytes.length);
    }

    @ParameterizedTest(name = "{0} keys where 10,000 were expected")
    @CsvSource({"10000,0.05", "40000,0.6", "1,0.0001"})
    void itPassesEachKeyAndFewOthers(int keys, double mostPassed) {
        try (Arena arena = Arena.ofConfined()) {
            KeyFilter filter = KeyFilter.of(EXPECTED, arena);
            IntStream.range(0, keys).forEach(key -> filter.add(hash(key)));
            assertTrue(IntStream.range(0, keys).allMatch(key -> filter.mayHold(hash(key))));
            long passed = IntStream.range(keys, keys + ABSENT).filter(key -> filter.mayHold(hash(key))).count();
            assertTrue(passed <= mostPassed * ABSENT, passed + " of " + ABSENT);
            assertEquals(EXPECTED, filter.bytes());
        }
    }
}
