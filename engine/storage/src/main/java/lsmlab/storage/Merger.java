// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.function.BooleanSupplier;
import lsmlab.storage.compaction.Job;
import lsmlab.storage.compaction.Run;
import lsmlab.storage.counters.Counters;
import lsmlab.storage.counters.Events;
import lsmlab.storage.disk.DiskFailure;
import lsmlab.storage.keys.Cursor;
import lsmlab.storage.keys.Keys;
import lsmlab.storage.keys.MergeCursor;
import lsmlab.storage.table.Table;
import lsmlab.storage.table.Tables;
import lsmlab.storage.tree.Publisher;
import lsmlab.storage.tree.Tree;

/** Carries out what was chosen for a compaction: merges the inputs into new tables, which then take their place. */
final class Merger {
    private final Publisher publisher;
    private final Tables tables;
    private final Counters counters;
    private final long outputBytes;
    private final BooleanSupplier cancelled;
    private final Pace pace;

    /**
     * @param outputBytes of each table that a merge writes
     * @param cancelled whether a merge is to end with a {@link CancellationException}
     * @param pace holds merges to their rate
     */
    Merger(Publisher publisher, Tables tables, Counters counters, long outputBytes, BooleanSupplier cancelled, Pace pace) {
        this.publisher = publisher;
        this.tables = tables;
        this.counters = counters;
        this.outputBytes = outputBytes;
        this.cancelled = cancelled;
        this.pace = pace;
    }

    void run(Job<Table> job) throws IOException {
        long start = System.nanoTime();
        Events.Compaction event = new Events.Compaction();
        event.begin();
        event.because = job.because();
        event.inputs = job.tables().size();
        counters.compactions.increment();
        if (isMove(job)) {
            publisher.moved(job);
            event.outputs = event.inputs;
        } else {
            List<Table> outputs = merge(job);
            publish(job, outputs); // first: if memory ran out before this, the new tables would be lost track of
            event.outputs = outputs.size();
            event.readBytes = job.bytes();
            event.writtenBytes = outputs.stream().mapToLong(Table::bytes).sum();
            counters.compactionReadBytes.add(event.readBytes);
            counters.compactionWrittenBytes.add(event.writtenBytes);
        }
        event.commit();
        counters.compactionNanos.add(System.nanoTime() - start);
    }

    private void publish(Job<Table> job, List<Table> outputs) throws IOException {
        try {
            publisher.compacted(job, outputs);
        } catch (DiskFailure e) { // the manifest may name them, and the tree hold them: they are left to the next opening
            throw e;
        } catch (IOException | RuntimeException | Error e) {
            tables.discard(outputs);
            throw e;
        }
    }

    /** Tables that share no keys become one run as they are; nothing is read or written. */
    private static boolean isMove(Job<Table> job) {
        boolean wouldDrop = job.dropTombstones() && job.tables().stream().anyMatch(table -> table.tombstones() > 0);
        return !wouldDrop && Run.areDisjoint(job.tables().stream().sorted(Run.BY_FIRST_KEY).toList());
    }

    private List<Table> merge(Job<Table> job) throws IOException {
        List<Cursor> newestFirst = job.inputs().stream().map(Tree::cursorOver).toList();
        int commonBytes = Keys.commonPrefix(job.inputs().stream().map(Run::span).toList());
        Cursor entries = new Held(new MergeCursor(newestFirst, commonBytes, job.dropTombstones()));
        ArrayList<Table> outputs = new ArrayList<>();
        try {
            while (entries.next()) {
                outputs.ensureCapacity(outputs.size() + 1); // or there may be no memory to remember what was written
                outputs.add(tables.write(publisher.newNumber(), entries, outputBytes, Tables.MAX_ENTRIES, job.dropTombstones()));
            }
        } catch (IOException | RuntimeException | Error e) {
            tables.discard(outputs);
            throw e;
        }
        return outputs;
    }

    /** Keeps the pace, and ends with an exception when the store is closed, which would else wait for a long merge. */
    private final class Held extends Cursor {
        private final Cursor cursor;

        Held(Cursor cursor) {
            this.cursor = cursor;
        }

        @Override
        public boolean next() {
            if (cancelled.getAsBoolean()) {
                throw new CancellationException();
            }
            boolean moved = cursor.next();
            if (moved) {
                take(cursor);
                pace.read(keyLength + valueLength);
            }
            return moved;
        }
    }
}
