// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import java.lang.foreign.MemorySegment;
import java.util.List;

/** One look-up on its way through the tree: its key and what it cost. {@code explain} hands it a list to write its steps into. */
final class Lookup {
    final MemorySegment key;
    private final List<String> steps;
    int tablesAsked;
    int tablesPruned;
    int probes;

    Lookup(MemorySegment key) {
        this(key, null);
    }

    Lookup(MemorySegment key, List<String> steps) {
        this.key = key;
        this.steps = steps;
    }

    void memtable(String name, MemorySegment value) {
        if (steps != null) {
            steps.add("%s: %s".formatted(name, outcome(value)));
        }
    }

    void pruned(Table table) {
        tablesPruned++;
        if (steps != null) {
            steps.add("%s: skipped, key outside its range".formatted(table.name()));
        }
    }

    void asked(Table table, MemorySegment value) {
        tablesAsked++;
        if (steps != null) {
            steps.add("%s: %s, %d probes so far".formatted(table.name(), outcome(value), probes));
        }
    }

    private static String outcome(MemorySegment value) {
        return value == null ? "not there" : value == Entry.TOMBSTONE ? "tombstone" : "found";
    }
}
