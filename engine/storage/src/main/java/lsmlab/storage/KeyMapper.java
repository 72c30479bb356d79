// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import java.io.UncheckedIOException;
import java.util.List;
import java.util.function.BooleanSupplier;
import lsmlab.storage.compaction.Run;
import lsmlab.storage.keys.Cursor;
import lsmlab.storage.keys.Keys;
import lsmlab.storage.options.Options;
import lsmlab.storage.options.Pruning;
import lsmlab.storage.table.KeyMap;
import lsmlab.storage.table.Table;
import lsmlab.storage.tree.Mapping;
import lsmlab.storage.tree.Publisher;
import lsmlab.storage.tree.Reader;
import lsmlab.storage.tree.Tree;
import lsmlab.storage.tree.Versions;

/**
 * Makes the map of keys of {@link Pruning#MAP}, by reading all tables once: when the store rests and a good part of it is in no map. WHY not with each flush and merge: while they go on, the map
 * would be made again and again, and only gets of a store that stays unchanged for a while pay back what that costs.
 */
final class KeyMapper {
    /** A new map is made when at least this share of the store's bytes is not in the old one. */
    private static final double LEAST_UNMAPPED_SHARE = 0.25;
    /** Keys whose lines the processor may wait for at once. */
    private static final int BATCH = 1 << 10;

    private final Versions versions;
    private final Publisher publisher;
    private final BooleanSupplier givesUp;
    private final long[] hashes = new long[BATCH];
    private List<Run<Table>> failed = List.of(); // could not be mapped
    private long notBeforeNanos = System.nanoTime(); // when the next map may be begun

    /** @param givesUp whether there is something better to do */
    KeyMapper(Versions versions, Publisher publisher, BooleanSupplier givesUp) {
        this.versions = versions;
        this.publisher = publisher;
        this.givesUp = givesUp;
    }

    static boolean isWanted(Options options) {
        return options.pruning() == Pruning.MAP && options.device() == null && options.extensions().filters() == null;
    }

    /**
     * Returns when the map fits the store, or as soon as it is given up; whether another map, or none, took the place of the one before. Damage is for the reads to report that meet it, and without
     * memory filters do. REQUIRES: one caller at a time, and no merge meanwhile.
     *
     * @param isAwaited somebody waits for it, so it is tried in any case
     */
    boolean run(boolean isAwaited) {
        Reader hold = versions.borrow();
        try {
            Tree tree = versions.tree();
            hold.scans(tree.onlyTables());
            if (tree.runs().size() == 1 && tree.mapping() != null) {
                publisher.mapped(null);
                return true;
            }
            return (isAwaited || System.nanoTime() - notBeforeNanos >= 0) && isWorthIt(tree) && isMade(tree);
        } catch (UncheckedIOException | InternalError | OutOfMemoryError e) {
            failed = versions.tree().runs(); // nothing depends on a map
            return false;
        } finally {
            hold.giveBack();
        }
    }

    /** Of one run, the filter is as good; and to read tables that are not in memory would put others out of it. */
    private boolean isWorthIt(Tree tree) {
        List<Run<Table>> runs = tree.runs();
        long bytes = tree.tableBytes();
        long mapped = tree.mapping() == null ? 0 : tree.mapping().bytes(runs);
        return runs.size() > 1 && runs.size() <= KeyMap.MOST_GROUPS && bytes - mapped >= LEAST_UNMAPPED_SHARE * bytes && !runs.equals(failed)
                && tree.tables().stream().allMatch(Table::isInMemory);
    }

    private boolean isMade(Tree tree) {
        long start = System.nanoTime();
        KeyMap map = new KeyMap(tree.tables().stream().mapToLong(Table::entries).sum());
        boolean isPublished = false;
        try {
            if (fill(map, tree.runs())) {
                publisher.mapped(Mapping.of(map, tree.runs()));
                isPublished = true;
            }
        } finally {
            if (!isPublished) {
                map.close();
                long now = System.nanoTime();
                notBeforeNanos = now + Patience.TIMES_AS_LONG * (now - start);
            }
        }
        return isPublished;
    }

    /** False if it is given up. */
    private boolean fill(KeyMap map, List<Run<Table>> runs) {
        for (int i = 0; i < runs.size(); i++) {
            for (Table table : runs.get(i).tables()) {
                Cursor entries = table.cursor(null);
                for (int count = hash(entries); count > 0; count = hash(entries)) {
                    if (givesUp.getAsBoolean()) {
                        return false;
                    }
                    for (int n = 0; n < count; n++) {
                        map.add(hashes[n], i + 1);
                    }
                }
            }
        }
        return true;
    }

    /** How many keys are hashed; 0 at the end. */
    private int hash(Cursor entries) {
        int count = 0;
        while (count < BATCH && entries.next()) {
            hashes[count++] = Keys.hash(entries.bytes, entries.keyAt, entries.keyLength);
        }
        return count;
    }
}
