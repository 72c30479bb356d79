// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.notebook;

import java.util.BitSet;
import java.util.SplittableRandom;
import java.util.function.DoubleUnaryOperator;
import java.util.stream.IntStream;
import lsmlab.storage.options.TableFilter;

/** A Bloom filter of any size: it takes as many bits as a rate of false positives needs, which may depend on the number of keys in the table. */
final class RatedFilter implements TableFilter {
    private static final double LN2 = Math.log(2);

    private final DoubleUnaryOperator falsePositives;
    private BitSet bits;
    private int size; // in bits
    private int bitsOfAKey;

    RatedFilter(DoubleUnaryOperator falsePositives) {
        this.falsePositives = falsePositives;
    }

    @Override
    public void build(byte[][] keys) {
        double bitsPerKey = Math.max(0, -Math.log(falsePositives.applyAsDouble(keys.length)) / LN2 / LN2);
        size = (int) Math.round(keys.length * bitsPerKey);
        bitsOfAKey = (int) Math.max(1, Math.round(bitsPerKey * LN2));
        bits = new BitSet(size);
        for (byte[] key : keys) {
            bitsOf(key).forEach(bits::set);
        }
    }

    /** None where the filter has no memory: every key may be there then. */
    private IntStream bitsOf(byte[] key) {
        return size == 0 ? IntStream.empty() : new SplittableRandom(TableFilter.hash(key)).ints(bitsOfAKey, 0, size);
    }

    @Override
    public boolean mayHold(byte[] key) {
        return bitsOf(key).allMatch(bits::get);
    }
}
