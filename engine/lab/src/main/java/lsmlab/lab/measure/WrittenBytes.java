// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.measure;

import java.util.List;
import java.util.Map;
import java.util.Objects;

/** What a write costs whatever the machine: bytes that the engine wrote to its log and its tables. */
final class WrittenBytes {
    private static final List<String> COUNTERS = List.of("logBytes", "flushedBytes", "compactionWrittenBytes");

    private WrittenBytes() {}

    /** For each write; null if there were none, or one of the counters is not known. */
    static Double perWrite(Map<String, Long> engine) {
        long writes = engine.getOrDefault("puts", 0L) + engine.getOrDefault("deletes", 0L);
        List<Long> bytes = COUNTERS.stream().map(engine::get).filter(Objects::nonNull).toList();
        return writes == 0 || bytes.size() < COUNTERS.size() ? null : (double) bytes.stream().mapToLong(Long::longValue).sum() / writes;
    }
}
