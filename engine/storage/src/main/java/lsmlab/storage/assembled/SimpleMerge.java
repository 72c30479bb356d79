// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage.assembled;

import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Takes everything into memory, the oldest first. */
final class SimpleMerge {
    private SimpleMerge() {}

    static Iterator<KeyValue> of(List<Iterator<KeyValue>> newestFirst) {
        Map<byte[], KeyValue> all = new TreeMap<>(Arrays::compareUnsigned);
        for (Iterator<KeyValue> each : newestFirst.reversed()) {
            each.forEachRemaining(record -> all.put(record.key(), record));
        }
        return all.values().iterator();
    }
}
