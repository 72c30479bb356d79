// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage.table;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import lsmlab.storage.compaction.SortedTable;
import lsmlab.storage.counters.ReadCounters;
import lsmlab.storage.disk.Disk;
import lsmlab.storage.disk.Faults;
import lsmlab.storage.disk.ModelledDevice;
import lsmlab.storage.format.FileNames;
import lsmlab.storage.format.Format;
import lsmlab.storage.keys.Cursor;
import lsmlab.storage.keys.Keys;
import lsmlab.storage.keys.Lookup;
import lsmlab.storage.keys.Source;
import lsmlab.storage.options.Options;
import lsmlab.storage.options.Pruning;
import lsmlab.storage.options.Search;
import lsmlab.storage.options.TableFilter;

/** One immutable sorted file, searched. Any number of threads may read it until {@link #close}; {@link TableFile} says how damage shows. */
public final class Table implements SortedTable, Source {
    private final long number;
    private final String name;
    private final Pruning pruning;
    private final Search search;
    final TableFile file;
    private final Ends ends;
    private final TableFilter filter; // in place of range and Bloom filter; null: those

    Table(Disk disk, long number, String fileName, long store, Options options, ModelledDevice device) throws IOException {
        this.number = number;
        name = FileNames.table(number);
        this.pruning = options.pruning();
        this.search = options.search();
        file = new TableFile(disk, number, fileName, store, device);
        try {
            ends = new Ends(file.firstKey, file.lastKey);
            filter = options.extensions().filterOver(this::keys);
        } catch (InternalError e) {
            close();
            throw Faults.reading(disk.path(name), e);
        } catch (RuntimeException | Error e) {
            close();
            throw e;
        }
    }

    private byte[][] keys() {
        byte[][] keys = new byte[Math.toIntExact(file.entries)][];
        Cursor entries = cursor(null);
        for (int i = 0; entries.next(); i++) {
            keys[i] = entries.key().toArray(JAVA_BYTE);
        }
        return keys;
    }

    @Override
    public boolean find(Lookup lookup) {
        return mayHold(lookup) && search(lookup);
    }

    /** What follows where the key may be there, by range and filter. */
    public boolean search(Lookup lookup) {
        boolean found = switch (search) {
            case BLOCK_INDEX -> {
                turnToBlock(lookup);
                yield findIn(lookup);
            }
            case BINARY -> counted(findByProbes(lookup), lookup);
        };
        lookup.explainSearch(name);
        return found;
    }

    /** Searches the look-up's block, and if that {@link Lookup#isTied} perhaps the one before it. */
    boolean findIn(Lookup lookup) {
        return counted(findInBlock(lookup.block, lookup) || lookup.isTied && findInOther(lookup), lookup);
    }

    /** WHY whole prefixes are read only now: a key that is tied with the beginning of a block is mostly that block's first one. */
    private boolean findInOther(Lookup lookup) {
        long only = searchedBlock(lookup.number, lookup.key, lookup.counters);
        return only != lookup.block && findInBlock(only, lookup);
    }

    private boolean counted(boolean found, Lookup lookup) {
        lookup.counters.tablesAsked++;
        if (!found && lookup.isMapped) {
            lookup.counters.mapFalsePositives++;
        } else if (!found && (filter != null || pruning.asksFilters())) {
            lookup.counters.bloomFalsePositives++;
        }
        return found;
    }

    /**
     * Aims a look-up at a table, and says where its filter will be read, if it will.
     *
     * @param run that the table is of
     * @param table null: none of the run can hold the key
     */
    public static void aim(Lookup lookup, int run, Table table) {
        MemorySegment filter = table == null || lookup.isMapped || !table.pruning.asksFilters() ? null : table.file.filter();
        lookup.aim(run, table, filter, filter == null ? 0 : BloomFilter.lineAt(lookup.hash, filter.byteSize()));
    }

    /** The table that the look-up has turned to; null: none of the run can hold the key. */
    public static Table aimed(Lookup lookup) {
        return (Table) lookup.table();
    }

    /** False if the key is certainly not there. */
    public boolean mayHold(Lookup lookup) {
        if (filter != null) {
            return filterMayHold(lookup);
        }
        if (!lookup.isInside && !isInRange(lookup)) {
            lookup.counters.prunedByRange++;
            lookup.explain(name, "skipped, key outside its range");
            return false;
        }
        file.checkMetadata();
        if (pruning.asksFilters() && !lookup.isMapped && !file.filterMayHold(lookup.hash)) {
            lookup.counters.prunedByBloom++;
            lookup.explain(name, "skipped by its Bloom filter");
            return false;
        }
        return true;
    }

    private boolean filterMayHold(Lookup lookup) {
        file.checkMetadata();
        boolean may = filter.mayHold(lookup.key.toArray(JAVA_BYTE));
        if (!may) {
            lookup.counters.prunedByBloom++;
            lookup.explain(name, "skipped by an extension's filter");
        }
        return may;
    }

    private boolean isInRange(Lookup lookup) {
        return switch (pruning) {
            case NONE -> true;
            case RANGE, BLOOM, MAP -> lookup.isInside = ends.enclose(lookup.key);
            case RANGE_FROM_FILE -> isInRangeOfFile(lookup);
        };
    }

    /** Always reads both, as report 002's engine did. */
    private boolean isInRangeOfFile(Lookup lookup) {
        file.checkMetadata();
        long lastBlock = file.blocks - 1;
        int fromFirst = compareEntry(0, 0, lookup.key, lookup.counters);
        int fromLast = compareEntry(lastBlock, file.entriesOf(lastBlock) - 1, lookup.key, lookup.counters);
        return fromFirst <= 0 && fromLast >= 0;
    }

    private void turnToBlock(Lookup lookup) {
        if (lookup.isInside || ends.enclose(lookup.key)) {
            lookup.number = numberOf(lookup.key);
            findBlock(lookup);
        } else {
            lookup.block = blockBeyond(lookup.key);
            lookup.isTied = false;
        }
    }

    /** For a look-up that has its number. Where the block is likely on the disk, all of its pages are asked for at once, and by {@link GroupLookup} all blocks. */
    void findBlock(Lookup lookup) {
        long found = file.blockAt(lookup.number);
        long block = found == BlockIndex.UNSURE ? searchedBlock(lookup.number, lookup.key, lookup.counters) : Math.max(0, BlockIndex.untied(found));
        if (lookup.coldReads.areLikely() || file.isLong(block)) {
            file.readAhead(block);
        }
        lookup.block = block;
        lookup.isTied = BlockIndex.isTied(found);
    }

    /** The number by which the index finds the block of a key. REQUIRES: a key that the ends enclose. */
    long numberOf(MemorySegment key) {
        return file.number(ends.prefix(key));
    }

    /** The only block that can hold a key that the ends do not enclose. */
    private long blockBeyond(MemorySegment key) {
        return ends.beginAbove(key) ? 0 : file.blocks - 1;
    }

    /** The only block that can hold a key with this number, by prefixes and keys on disk: the last one whose first key is not above it, or the first block. */
    private long searchedBlock(long number, MemorySegment key, ReadCounters counters) {
        long prefix = ends.prefix(key);
        long to = file.to(number);
        long low = file.firstBlock(file.from(number), to, prefix, false); // blocks before it begin below the key
        long high = low < to && file.blockPrefix(low) == prefix
                ? file.firstBlock(low, to, prefix, true) // blocks from it on begin above the key
                : low;
        while (low < high) { // several blocks share the prefix: compare their whole first keys
            long middle = (low + high) >>> 1;
            if (compareEntry(middle, 0, key, counters) <= 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return Math.max(0, low - 1);
    }

    /** Compares the keys whose tag is that of the key: mostly one, or none. */
    private boolean findInBlock(long block, Lookup lookup) {
        long start = file.check(block);
        lookup.counters.blocksRead++;
        int count = file.entriesOf(block);
        long tags = TableFile.tagsAt(file.blockEnd(block), count);
        for (int i = file.findTag(tags, 0, count, lookup.hash); i < count; i = file.findTag(tags, i + 1, count, lookup.hash)) {
            lookup.counters.probes++;
            long end = i + 1 == count ? tags : start + file.offset(tags, count, i + 1);
            if (showIfEqual(start + file.offset(tags, count, i), end, lookup)) {
                return true;
            }
        }
        return false;
    }

    private boolean showIfEqual(long entry, long entryEnd, Lookup lookup) {
        long head = file.head(entry);
        long keyAt = entry + Format.varintBytes(head);
        long keyLength = head >>> 1;
        if (Keys.compare(file.bytes, keyAt, keyLength, lookup.key, 0, lookup.key.byteSize()) != 0) {
            return false;
        }
        if ((head & 1) == 1) {
            lookup.foundTombstone();
        } else {
            lookup.found(file.bytes, keyAt + keyLength, (int) (entryEnd - keyAt - keyLength));
        }
        return true;
    }

    /** As the reports' engines searched: a probe reads a key on its own page, until the block is known and its entries are probed. */
    private boolean findByProbes(Lookup lookup) {
        long low = 0;
        long high = file.blocks - 1;
        while (low < high) {
            long middle = (low + high + 1) >>> 1;
            if (compareEntry(middle, 0, lookup.key, lookup.counters) <= 0) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        int index = ceiling(low, lookup.key, lookup.counters);
        return index < file.entriesOf(low) && showIfEqual(file.entryAt(low, index), file.entryEnd(low, index), lookup);
    }

    /** Index of the first entry of a block whose key is not below {@code key}; the number of its entries if there is none. */
    private int ceiling(long block, MemorySegment key, ReadCounters counters) {
        int low = 0;
        int high = file.entriesOf(block);
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (compareEntry(block, middle, key, counters) < 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    private int compareEntry(long block, int index, MemorySegment key, ReadCounters counters) {
        file.check(block);
        counters.blocksRead++;
        counters.probes++;
        long entry = file.entryAt(block, index);
        long head = file.head(entry);
        return Keys.compare(file.bytes, entry + Format.varintBytes(head), head >>> 1, key, 0, key.byteSize());
    }

    @Override
    public Cursor cursor(MemorySegment from) {
        file.checkMetadata();
        if (from == null) {
            return new TableCursor(file, 0, 0);
        }
        ReadCounters uncounted = new ReadCounters();
        long block = ends.enclose(from) ? searchedBlock(numberOf(from), from, uncounted) : blockBeyond(from);
        return new TableCursor(file, block, ceiling(block, from, uncounted));
    }

    public String name() {
        return name;
    }

    @Override
    public long number() {
        return number;
    }

    /** Tombstones included. */
    public long entries() {
        return file.entries;
    }

    public long tombstones() {
        return file.tombstones;
    }

    @Override
    public long bytes() {
        return file.bytes.byteSize();
    }

    @Override
    public long diskBytes() {
        return bytes();
    }

    /** Whether the system keeps all of its file in the page cache at the moment. */
    public boolean isInMemory() {
        return !file.bytes.isMapped() || file.bytes.isLoaded();
    }

    @Override
    public MemorySegment firstKey() {
        return ends.firstKey;
    }

    @Override
    public MemorySegment lastKey() {
        return ends.lastKey;
    }

    @Override
    public Arena arena() {
        return file.arena;
    }
}
