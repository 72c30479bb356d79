// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage.table;

import lsmlab.storage.keys.Lookup;

/** Several look-ups at once. */
public final class GroupLookup {
    private GroupLookup() {}

    /**
     * Searches a table for each of the look-ups, by the block index. Each step is taken for all of them before the next, and what it will read was asked for before: their cache misses overlap.
     *
     * @param tables one for each; null: none can hold its key
     * @param lookups those that found nothing are moved to the front
     * @return how many found nothing
     */
    public static int findAll(Table[] tables, Lookup[] lookups, int count) {
        for (int i = 0; i < count; i++) {
            Table.aim(lookups[i], 0, tables[i]);
        }
        for (int i = 0; i < count; i++) {
            lookups[i].touchFilters(1);
        }
        int asked = 0; // the first ones have a table that may hold their key
        for (int i = 0; i < count; i++) {
            if (tables[i] != null && tables[i].mayHold(lookups[i])) {
                swap(tables, i, asked);
                swap(lookups, i, asked++);
            }
        }
        for (int i = 0; i < asked; i++) {
            lookups[i].block = tables[i].blockOf(lookups[i]);
        }
        for (int i = 0; i < asked; i++) {
            lookups[i].touched += tables[i].touchTags(lookups[i]);
        }
        for (int i = 0; i < asked; i++) {
            lookups[i].touched += tables[i].touchEntry(lookups[i]);
        }
        int left = 0;
        for (int i = 0; i < count; i++) {
            if (i >= asked || !tables[i].findIn(lookups[i].block, lookups[i])) {
                lookups[left++] = lookups[i];
            }
        }
        return left;
    }

    private static <T> void swap(T[] items, int i, int j) {
        T item = items[i];
        items[i] = items[j];
        items[j] = item;
    }
}
