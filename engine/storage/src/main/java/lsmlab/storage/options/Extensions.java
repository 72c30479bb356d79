// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage.options;

import java.util.function.Supplier;

/**
 * Code from outside in the place of the engine's own. Each part may be null: then the engine's own is used.
 *
 * @param filters makes the filter of a table that is opened
 * @param throttle asked before each group of writes
 * @param merges asked after each flush
 */
public record Extensions(Supplier<TableFilter> filters, WriteThrottle throttle, MergePolicy merges) {
    public static final Extensions NONE = new Extensions(null, null, null);

    /** A filter of a table with these keys; null if there are none of that kind. */
    public TableFilter filterOver(Supplier<byte[][]> keys) {
        if (filters == null) {
            return null;
        }
        TableFilter filter = filters.get();
        filter.build(keys.get());
        return filter;
    }
}
