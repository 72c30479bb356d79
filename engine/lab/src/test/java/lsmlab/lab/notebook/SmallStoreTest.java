// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.notebook;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.stream.IntStream;
import lsmlab.storage.options.MergePolicy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SmallStoreTest {
    private static final int KEYS = 2_000;
    private static final int ASKED = 20_000;
    private static final MergePolicy NEVER = (bytes, levels, maxRuns) -> 0;

    @Test
    void mergesAsItsPolicySaysBeforeAFlushReturns() {
        MergePolicy threes = (bytes, levels, maxRuns) -> bytes.length == 3 ? 3 : 0;
        try (var plain = new SmallStore(); var store = plain.with(threes, _ -> 0.01)) {
            for (int flush = 0; flush < 4; flush++) {
                store.put("a" + flush, "1").put("b", "flush " + flush).flush();
            }
            assertEquals(2, store.stats().held().runs(), "three merged into one, and the fourth");
            assertEquals(1, store.stats().background().compactions());
            assertTrue(store.writtenBytes() > store.stats().background().flushedBytes());
            assertEquals("flush 3", store.get("b"));
            assertNull(plain.get("b"), "another store");
        }
    }

    /** A rate of 1 needs no bits: then every GET asks the table. */
    @ParameterizedTest
    @ValueSource(doubles = {1, 0.4, 0.1, 0.01})
    void missingKeysPassItsFiltersAtTheRateAskedFor(double rate) {
        try (var plain = new SmallStore(); var store = plain.with(NEVER, keys -> rate * keys / KEYS)) {
            store.records(IntStream.range(0, KEYS));
            assertEquals(100 * KEYS, store.stats().writes().userBytes());
            assertEquals(rate, store.tablesAsked(IntStream.range(0, ASKED), true), 0.1 * rate + 0.002);
            assertEquals(1, store.tablesAsked(IntStream.range(0, KEYS), false), "a filter forgets no key");
        }
    }

    @Test
    void canBeClosedTwiceAndSaysThatItWasClosed() {
        var store = new SmallStore();
        store.close();
        store.close();
        assertEquals("this store was closed; run the cell that makes it with Lab.store()", assertThrows(IllegalStateException.class, store::stats).getMessage());
    }
}
