// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage.table;

import lsmlab.storage.keys.Lookup;

/** Several look-ups at once. */
public final class GroupLookup {
    private GroupLookup() {}

    /**
     * Searches a table for each of the look-ups, by the block index. Each step is taken for all of them before the next, and what it will read was asked for before: their cache misses overlap.
     *
     * @param tables one for each, which may hold its key
     * @param lookups those that found nothing are moved to the front
     * @return how many found nothing
     */
    public static int findAll(Table[] tables, Lookup[] lookups, int count) {
        for (int i = 0; i < count; i++) {
            lookups[i].number = tables[i].numberOf(lookups[i].key);
        }
        for (int i = 0; i < count; i++) {
            lookups[i].touched += tables[i].file.from(lookups[i].number);
        }
        for (int i = 0; i < count; i++) {
            tables[i].findBlock(lookups[i]);
        }
        for (int i = 0; i < count; i++) {
            lookups[i].touched += tables[i].file.touchTags(lookups[i].block);
        }
        for (int i = 0; i < count; i++) {
            lookups[i].touched += tables[i].file.touchEntry(lookups[i].block, lookups[i].hash);
        }
        int left = 0;
        for (int i = 0; i < count; i++) {
            if (!tables[i].findIn(lookups[i])) {
                lookups[left++] = lookups[i];
            }
        }
        return left;
    }
}
