// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage.table;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import lsmlab.storage.disk.Disk;
import lsmlab.storage.disk.ModelledDevice;
import lsmlab.storage.format.FileNames;
import lsmlab.storage.format.StoreIdentity;
import lsmlab.storage.keys.Cursor;
import lsmlab.storage.options.Options;
import lsmlab.storage.system.Threads;

/** Writes, names and opens tables according to the store's options and device. */
public record Tables(Disk disk, Options options, ModelledDevice device, StoreIdentity store) {
    /** Bounds what a {@link TableWriter} keeps in memory: a memtable that has as many is full. */
    public static final int MAX_ENTRIES = 2_000_000;

    public Table open(long number) throws IOException {
        return open(number, FileNames.table(number));
    }

    private Table open(long number, String name) throws IOException {
        return new Table(disk, number, name, store.id(), options, device);
    }

    /** Opens the same tables again. */
    public List<Table> reopen(List<Table> tables) throws IOException {
        List<Table> opened = new ArrayList<>();
        try {
            for (Table table : tables) {
                opened.add(open(table.number()));
            }
        } catch (IOException | RuntimeException | Error e) {
            opened.forEach(Table::close);
            throw e;
        }
        return opened;
    }

    /** Closes and removes tables that never became part of the store. */
    public void discard(List<Table> tables) {
        for (Table table : tables) {
            discard(table);
        }
    }

    /** Repeats until there is memory for it: nothing else remembers the table. */
    private void discard(Table table) {
        while (true) {
            try {
                table.close();
                disk.deleteIfExists(FileNames.unfinished(table.name()));
                return;
            } catch (IOException e) {
                return; // the next opening removes it
            } catch (OutOfMemoryError e) {
                Threads.awaitMemory();
            }
        }
    }

    /**
     * Writes entries as one table that survives a power cut once this returns, until it has so many bytes or entries; the cursor stands
     * at its first entry before, at its last one afterwards. It has its unfinished name until it is published. What a failure leaves half
     * written is removed here or, if even that fails, at the next try or opening.
     */
    public Table write(long number, Cursor entries, long maxBytes, int maxEntries) throws IOException {
        String unfinished = FileNames.unfinished(FileNames.table(number));
        try {
            try (TableWriter writer = new TableWriter(disk, number, store, device)) {
                do {
                    writer.add(entries);
                } while (writer.bytes() < maxBytes && writer.entries() < maxEntries && entries.next());
                writer.finish();
            }
            disk.syncNames();
            return open(number, unfinished);
        } catch (IOException | RuntimeException | Error e) {
            remove(unfinished, e);
            throw e;
        }
    }

    private void remove(String unfinished, Throwable because) {
        while (true) {
            try {
                disk.deleteIfExists(unfinished);
                return;
            } catch (IOException e) {
                because.addSuppressed(e);
                return;
            } catch (OutOfMemoryError e) {
                Threads.awaitMemory();
            }
        }
    }
}
