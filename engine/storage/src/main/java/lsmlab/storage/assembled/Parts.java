// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage.assembled;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import lsmlab.storage.options.TableFilter;

/** What an {@link AssembledStore} is made of. Each part is there from the start, as simple as it can be; a class that implements this replaces those that it overrides. */
public interface Parts {
    default Memtable memtable() {
        return new SimpleMemtable();
    }

    default Log log(Path file) throws IOException {
        return new SimpleLog(file);
    }

    /** Writes a table. @param records in ascending order, each key once; deleted ones among them */
    default void write(Path file, Iterator<KeyValue> records) throws IOException {
        SimpleTable.write(file, records);
    }

    default SortedTable open(Path file) throws IOException {
        return new SimpleTable(file);
    }

    /** One ascending sequence out of several, each key once, as the newest sequence that has it says. @param newestFirst each ascending, each key once */
    default Iterator<KeyValue> merged(List<Iterator<KeyValue>> newestFirst) {
        return SimpleMerge.of(newestFirst);
    }

    /** A filter for one table, not built yet; null: tables have none. */
    default TableFilter filter() {
        return null;
    }
}
