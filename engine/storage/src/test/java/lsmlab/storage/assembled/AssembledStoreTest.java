// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage.assembled;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import lsmlab.storage.options.TableFilter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AssembledStoreTest {
    private static final Parts SIMPLE = new Parts() {};

    @TempDir
    Path folder;

    private AssembledStore opened() throws IOException {
        return new AssembledStore(folder, SIMPLE, 200, 3);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private List<String> files() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    @Test
    void itHoldsWhatASortedMapHolds() throws IOException {
        Random random = new Random(3);
        NavigableMap<byte[], byte[]> model = new TreeMap<>(Arrays::compareUnsigned);
        AssembledStore store = opened();
        for (int step = 0; step < 2_000; step++) {
            byte[] key = {(byte) random.nextInt(100), (byte) random.nextInt(3)};
            if (random.nextInt(4) == 0) {
                store.delete(key);
                model.remove(key);
            } else {
                byte[] value = new byte[random.nextInt(9)];
                store.put(key, value);
                model.put(key, value);
            }
            if (step % 400 == 0) {
                store = opened(); // without a close
            }
            assertArrayEquals(model.get(key), store.get(key));
        }
        byte[] from = {20};
        byte[] to = {(byte) 90};
        List<KeyValue> range = store.range(from, to);
        assertEquals(model.subMap(from, to).size(), range.size());
        assertTrue(range.stream().allMatch(each -> Arrays.equals(each.value(), model.get(each.key()))));
        assertTrue(store.tables() <= 3);
        store.close();
    }

    /** A crash between the merged table's name and the end of the old ones: a deleted key must stay deleted. */
    @Test
    void anInterruptedMergeIsFinishedByTheNextOpening() throws IOException {
        try (AssembledStore store = opened()) {
            store.put(bytes("a"), bytes("old"));
            store.flush();
            byte[] kept = Files.readAllBytes(folder.resolve("000001-000001.table"));
            store.delete(bytes("a"));
            store.flush();
            store.put(bytes("b"), bytes("1"));
            store.flush();
            store.put(bytes("c"), bytes("2"));
            store.flush(); // the fourth table: all are merged
            assertEquals(List.of("000001-000004.table", "log"), files());
            Files.write(folder.resolve("000001-000001.table"), kept);
            Files.write(folder.resolve("000005-000005.table.unfinished"), kept);
        }
        try (AssembledStore store = opened()) {
            assertNull(store.get(bytes("a")));
            assertArrayEquals(bytes("2"), store.get(bytes("c")));
            assertEquals(List.of("000001-000004.table", "log"), files());
        }
    }

    @Test
    void aFilterSparesTables() throws IOException {
        Parts filtered = new Parts() {
            @Override
            public TableFilter filter() {
                return new TableFilter() {
                    private byte[][] keys;

                    @Override
                    public void build(byte[][] all) {
                        keys = all;
                    }

                    @Override
                    public boolean mayHold(byte[] key) {
                        return Arrays.stream(keys).anyMatch(each -> Arrays.equals(each, key));
                    }
                };
            }
        };
        try (AssembledStore store = new AssembledStore(folder, filtered, 1 << 20, 10)) {
            for (int i = 0; i < 5; i++) {
                store.put(bytes("key" + i), bytes("value"));
                store.flush();
            }
            store.get(bytes("key0"));
            store.get(bytes("missing"));
            assertEquals(1, store.tablesAsked());
        }
    }

    @Test
    void aLimitOfNoTablesIsRefused() {
        assertThrows(IllegalArgumentException.class, () -> new AssembledStore(folder, SIMPLE, 1, 0));
    }
}
