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
            discard(table, table.name());
        }
    }

    /**
     * Repeats until there is memory for it: nothing else remembers them. Returns why the file is still there, or null; the next try or opening
     * removes it then.
     *
     * @param opened null: the table was not opened
     */
    private IOException discard(Table opened, String name) {
        while (true) {
            try {
                if (opened != null) {
                    opened.close();
                }
                disk.deleteIfExists(FileNames.unfinished(name));
                return null;
            } catch (IOException e) {
                return e;
            } catch (OutOfMemoryError e) {
                Threads.awaitMemory();
            }
        }
    }

    /**
     * Writes entries as one table that survives a power cut once this returns, until it has so many bytes or entries; the cursor stands
     * at its first entry before, at its last one afterwards. It has its unfinished name until it is published. What a failure leaves half
     * written is removed here or, if even that fails, at the next try or opening.
     *
     * @param lasting it will stay for long, which is worth some time of writing it
     */
    public Table write(long number, Cursor entries, long maxBytes, int maxEntries, boolean lasting) throws IOException {
        String name = FileNames.table(number);
        try {
            try (TableWriter writer = new TableWriter(disk, number, store, device, lasting)) {
                do {
                    writer.add(entries);
                } while (writer.bytes() < maxBytes && writer.entries() < maxEntries && entries.next());
                writer.finish();
            }
            disk.syncNames();
            return open(number, FileNames.unfinished(name));
        } catch (IOException | RuntimeException | Error e) {
            IOException inVain = discard(null, name);
            if (inVain != null) {
                e.addSuppressed(inVain);
            }
            throw e;
        }
    }
}
