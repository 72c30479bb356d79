// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage.tree;

import java.lang.foreign.MemorySegment;
import java.util.List;
import lsmlab.storage.compaction.Run;
import lsmlab.storage.keys.Cursor;
import lsmlab.storage.table.Table;

/** The tables of a run, one after the other; each is opened when the one before is used up. */
final class RunCursor extends Cursor {
    private final List<Table> tables;
    private int index;
    private Cursor current;
    private int skipped;

    RunCursor(Run<Table> run, MemorySegment from) {
        tables = run.tables();
        index = from == null ? 0 : run.indexOf(from);
        current = index < tables.size() ? tables.get(index).cursor(from) : null;
    }

    @Override
    public void skip(int commonBytes) {
        skipped = commonBytes;
        if (current != null) {
            current.skip(commonBytes);
        }
    }

    @Override
    public boolean next() {
        while (current != null) {
            if (current.next()) {
                take(current);
                return true;
            }
            current = index + 1 < tables.size() ? tables.get(index + 1).cursor(null) : null;
            index++;
            skip(skipped);
        }
        return false;
    }
}
