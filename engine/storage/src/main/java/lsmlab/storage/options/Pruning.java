// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage.options;

/** How a look-up decides that a table need not be searched. */
public enum Pruning {
    /** The table's first and last key, kept in memory, then its Bloom filter. */
    BLOOM,
    /** One map from keys to the runs that may hold them, made while nothing is written; the filters of tables that are newer. With a modelled device it is never made. */
    MAP,
    /** The table's first and last key, kept in memory. */
    RANGE,
    /** The same two keys, read from the two ends of the table's entries at each look-up (report 002). */
    RANGE_FROM_FILE,
    /** Every table is searched. */
    NONE;

    /** Whether a table's Bloom filter is asked, unless a map has answered already. */
    public boolean asksFilters() {
        return this == BLOOM || this == MAP;
    }
}
