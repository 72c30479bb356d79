// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage.assembled;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import lsmlab.storage.options.TableFilter;

/**
 * A log-structured merge store in a few lines, for those who build one: its {@link Parts} can be replaced one by one. One lock guards all of it, a write waits for its flush, and a
 * merge takes all tables. ALWAYS: what a key has is in the memtable, or else in the newest table that has it.
 */
public final class AssembledStore implements AutoCloseable {
    private static final String SUFFIX = ".table";
    private static final String UNFINISHED = ".unfinished";

    private final Path folder;
    private final Parts parts;
    private final long flushBytes;
    private final int maxTables;
    private final Log log;
    private final List<Numbered> tables = new ArrayList<>(); // the newest first
    private Memtable memtable;
    private long tablesAsked;

    /** A table with the flushes that it holds, from the first to the last. */
    private record Numbered(int first, int last, Path file, SortedTable table, TableFilter filter) {
        boolean mayHold(byte[] key) {
            return filter == null || filter.mayHold(key);
        }
    }

    /**
     * @param flushBytes in the memtable, at which it becomes a table
     * @param maxTables that may be there, 1 or more; with one more, all are merged
     */
    public AssembledStore(Path folder, Parts parts, long flushBytes, int maxTables) throws IOException {
        if (maxTables < 1) {
            throw new IllegalArgumentException("maxTables is %d, it must be 1 or more".formatted(maxTables));
        }
        this.folder = Files.createDirectories(folder);
        this.parts = parts;
        this.flushBytes = flushBytes;
        this.maxTables = maxTables;
        openTables();
        log = parts.log(folder.resolve("log"));
        memtable = parts.memtable();
        log.replay().forEach(written -> memtable.put(written.key(), written.value()));
    }

    public synchronized void put(byte[] key, byte[] value) throws IOException {
        write(new KeyValue(key, value));
    }

    public synchronized void delete(byte[] key) throws IOException {
        write(new KeyValue(key, null));
    }

    private void write(KeyValue written) throws IOException {
        log.append(written);
        memtable.put(written.key(), written.value());
        if (memtable.bytes() >= flushBytes) {
            flush();
        }
    }

    /** The value of a key; null if there is none. */
    public synchronized byte[] get(byte[] key) throws IOException {
        KeyValue found = memtable.get(key);
        for (int i = 0; found == null && i < tables.size(); i++) {
            if (tables.get(i).mayHold(key)) {
                tablesAsked++;
                found = tables.get(i).table.get(key);
            }
        }
        return found == null ? null : found.value();
    }

    /** Keys with their values, ascending, from one key on and before another; null: from the first, to the last. */
    public synchronized List<KeyValue> range(byte[] from, byte[] to) throws IOException {
        List<Iterator<KeyValue>> newestFirst = ascendingTables();
        newestFirst.addFirst(memtable.ascending());
        return stream(parts.merged(newestFirst)).filter(each -> !each.isDeleted() && (from == null || Arrays.compareUnsigned(each.key(), from) >= 0))
                .takeWhile(each -> to == null || Arrays.compareUnsigned(each.key(), to) < 0).toList();
    }

    /** Makes the memtable a table, if there is anything in it; then merges, if there are too many tables. */
    public synchronized void flush() throws IOException {
        if (!memtable.ascending().hasNext()) {
            return;
        }
        int number = tables.isEmpty() ? 1 : tables.getFirst().last + 1;
        tables.addFirst(written(number, number, memtable.ascending()));
        memtable = parts.memtable();
        log.clear(); // not before: until now a crash would have lost it
        if (tables.size() > maxTables) {
            mergeAll();
        }
    }

    /** Deleted keys go, since no older table is left that may have them. */
    private void mergeAll() throws IOException {
        Iterator<KeyValue> live = stream(parts.merged(ascendingTables())).filter(each -> !each.isDeleted()).iterator();
        Numbered merged = written(tables.getLast().first, tables.getFirst().last, live);
        List<Numbered> replaced = List.copyOf(tables);
        tables.clear();
        tables.add(merged);
        for (Numbered old : replaced) {
            old.table.close();
            Files.delete(old.file);
        }
    }

    private List<Iterator<KeyValue>> ascendingTables() throws IOException {
        List<Iterator<KeyValue>> all = new ArrayList<>();
        for (Numbered each : tables) {
            all.add(each.table.ascending());
        }
        return all;
    }

    /** Under its name only when it is complete. */
    private Numbered written(int first, int last, Iterator<KeyValue> records) throws IOException {
        Path file = folder.resolve("%06d-%06d%s".formatted(first, last, SUFFIX));
        Path unfinished = folder.resolve(file.getFileName() + UNFINISHED);
        parts.write(unfinished, records);
        Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
        return opened(file);
    }

    private Numbered opened(Path file) throws IOException {
        String name = file.getFileName().toString();
        SortedTable table = parts.open(file);
        TableFilter filter = parts.filter();
        if (filter != null) {
            filter.build(stream(table.ascending()).map(KeyValue::key).toArray(byte[][]::new));
        }
        return new Numbered(Integer.parseInt(name.substring(0, 6)), Integer.parseInt(name.substring(7, 13)), file, table, filter);
    }

    /** A merge that a crash interrupted has left the merged table, complete, beside some of those it was made of; or a part of it. */
    private void openTables() throws IOException {
        List<Numbered> all = new ArrayList<>();
        for (Path file : files(name -> name.endsWith(SUFFIX))) {
            all.add(opened(file));
        }
        for (Numbered each : all) {
            if (all.stream().anyMatch(other -> other != each && other.first <= each.first && each.last <= other.last)) {
                each.table.close();
                Files.delete(each.file);
            } else {
                tables.addFirst(each);
            }
        }
        for (Path file : files(name -> name.endsWith(UNFINISHED))) {
            Files.delete(file);
        }
    }

    private List<Path> files(Predicate<String> isWanted) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> isWanted.test(file.getFileName().toString())).sorted().toList();
        }
    }

    private static Stream<KeyValue> stream(Iterator<KeyValue> records) {
        Iterable<KeyValue> all = () -> records;
        return StreamSupport.stream(all.spliterator(), false);
    }

    /** Tables that were searched by gets, since it was opened. */
    public synchronized long tablesAsked() {
        return tablesAsked;
    }

    public synchronized int tables() {
        return tables.size();
    }

    /** The memtable stays in the log. */
    @Override
    public synchronized void close() throws IOException {
        for (Numbered each : tables) {
            each.table.close();
        }
        log.close();
    }
}
