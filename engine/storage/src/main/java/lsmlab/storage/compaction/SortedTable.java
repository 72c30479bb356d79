// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage.compaction;

import java.lang.foreign.MemorySegment;

/** What compaction needs to know of a table; simulations bring their own. */
public interface SortedTable {
    /** Higher for tables made later. */
    long number();

    /** Length of the file. */
    long bytes();

    MemorySegment firstKey();

    MemorySegment lastKey();
}
