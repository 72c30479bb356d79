// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import static lsmlab.storage.Bytes.utf8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.LongStream;
import lsmlab.storage.keys.Digits;
import lsmlab.storage.options.Compaction;
import lsmlab.storage.options.Options;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** However keys spread, the index leads to the block where a key is. */
class BlockIndexTest {
    private static final int KEYS = 30_000;
    private static final MemorySegment VALUE = MemorySegment.ofArray(new byte[150]);

    @TempDir
    Path directory;

    private enum Spread {
        DIGITS(random -> utf8("%016d".formatted(random.nextInt(1_000_000)))),
        HEXADECIMAL(random -> utf8("%016x".formatted(random.nextLong()))),
        ANY_BYTES(random -> bytes(random, random.nextInt(1, 12))),
        FEW_BYTES_FAR_APART(random -> of(random, new byte[] {0, 1, (byte) 0x80, (byte) 0xFF}, 12)),
        SHORT(random -> bytes(random, random.nextInt(1, 4))),
        CROWDED(random -> utf8("key" + (random.nextInt(50) == 0 ? random.nextInt() : 5_000_000 + random.nextInt(40_000)))),
        ALIKE_FOR_LONG(random -> utf8(random.nextInt(20) == 0 ? "a" + random.nextInt() : "the same beginning of them all " + random.nextInt(100_000)));

        final Function<Random, byte[]> key;

        Spread(Function<Random, byte[]> key) {
            this.key = key;
        }
    }

    private static byte[] bytes(Random random, int length) {
        byte[] key = new byte[length];
        random.nextBytes(key);
        return key;
    }

    private static byte[] of(Random random, byte[] alphabet, int length) {
        byte[] key = new byte[length];
        for (int i = 0; i < length; i++) {
            key[i] = alphabet[random.nextInt(alphabet.length)];
        }
        return key;
    }

    @ParameterizedTest
    @EnumSource(Spread.class)
    void findsEveryKeyAndNoOther(Spread spread) throws IOException {
        Random random = new Random(25);
        TreeMap<byte[], Boolean> keys = new TreeMap<>(Arrays::compareUnsigned);
        try (Engine engine = Engine.open(directory, Options.defaults().withCompaction(Compaction.NONE))) {
            for (int i = 0; i < KEYS; i++) {
                byte[] key = spread.key.apply(random);
                keys.put(key, true);
                engine.put(MemorySegment.ofArray(key), VALUE);
            }
            engine.flush();
            for (byte[] key : keys.keySet()) {
                assertEquals(150, engine.get(MemorySegment.ofArray(key)).byteSize(), () -> Arrays.toString(key));
            }
            for (int i = 0; i < KEYS; i++) {
                byte[] key = spread.key.apply(random);
                assertEquals(keys.containsKey(key), engine.get(MemorySegment.ofArray(key)) != null, () -> Arrays.toString(key));
            }
            for (int i = 0; i < 1_000; i++) {
                byte[] from = spread.key.apply(random);
                try (Scan scan = engine.scan(MemorySegment.ofArray(from), null)) {
                    byte[] first = keys.ceilingKey(from);
                    assertEquals(first != null, scan.hasNext());
                    if (first != null) {
                        assertArrayEquals(first, scan.next().key().toArray(ValueLayout.JAVA_BYTE));
                    }
                }
            }
        }
    }

    @Test
    void numbersNeverFallAsPrefixesRise() {
        Random random = new Random(25);
        for (int round = 0; round < 200; round++) {
            long mask = random.nextLong() | random.nextLong(); // some bits are the same in all
            long[] seen = LongStream.generate(() -> random.nextLong() & mask).limit(random.nextInt(1, 60)).toArray();
            Digits digits = new Digits(Arrays.stream(seen));
            long[] probes = LongStream.concat(Arrays.stream(seen), LongStream.generate(() -> random.nextLong() & mask).limit(500)).boxed()
                    .sorted(Long::compareUnsigned).mapToLong(prefix -> prefix).toArray();
            long before = 0;
            for (long probe : probes) {
                long number = digits.of(probe);
                assertTrue(number == Digits.NONE || number >= before, "round " + round);
                before = Math.max(before, number);
            }
            for (long prefix : seen) {
                assertTrue(digits.of(prefix) != Digits.NONE);
            }
        }
    }

    @Test
    void rangesAreOfAboutTheSameWidth() {
        int prefixes = 40 * 256;
        Digits.Ranges ranges = new Digits(LongStream.range(0, prefixes).map(i -> i << 48)).ranges(100);
        assertEquals(100, ranges.count());
        int[] counts = new int[100];
        for (long i = 0; i < prefixes; i++) {
            counts[(int) ranges.of(i << 48)]++;
        }
        assertTrue(Arrays.stream(counts).allMatch(count -> count == 102 || count == 103), Arrays.toString(counts));
        assertEquals(Digits.NONE, ranges.of(-1));
    }
}
