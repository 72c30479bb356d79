// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage.assembled;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;

/** A list that is searched from end to end. */
final class SimpleMemtable implements Memtable {
    private final List<KeyValue> all = new ArrayList<>(); // the newest last

    @Override
    public void put(byte[] key, byte[] value) {
        all.removeIf(each -> Arrays.equals(each.key(), key));
        all.add(new KeyValue(key, value));
    }

    @Override
    public KeyValue get(byte[] key) {
        return all.stream().filter(each -> Arrays.equals(each.key(), key)).findFirst().orElse(null);
    }

    @Override
    public Iterator<KeyValue> ascending() {
        return all.stream().sorted((a, b) -> Arrays.compareUnsigned(a.key(), b.key())).iterator();
    }

    @Override
    public long bytes() {
        return all.stream().mapToLong(each -> each.key().length + (each.isDeleted() ? 0 : each.value().length)).sum();
    }
}
