// SPDX-License-Identifier: Apache-2.0
package lsmlab.bench;

import java.nio.file.Path;

/** The stores of the comparison, and what their processes need. */
enum Kind {
    LSM("this engine", "128m", "its defaults (tiered compaction with at most 8 runs when settled, 64 MB memtables) and --pruning map; heap 128 MB"),
    ROCKSDB("RocksDB", "128m", RocksStore.CONFIGURATION),
    LMDB("LMDB", "128m", LmdbStore.CONFIGURATION),
    MVSTORE("H2 MVStore", "4g", MvStore.CONFIGURATION);

    final String title;
    final String heap;
    final String configuration;

    Kind(String title, String heap, String configuration) {
        this.title = title;
        this.heap = heap;
        this.configuration = configuration;
    }

    /** Whether its users can read a value where it lies. */
    boolean hasViews() {
        return this == LSM || this == LMDB;
    }

    /**
     * @param cacheBytes of a cache that must be given a size
     * @param isLimited whether the data are larger than the memory: then as its manual advises for that
     */
    Store open(Path directory, boolean synced, long cacheBytes, boolean isLimited) throws Exception {
        return switch (this) {
            case LSM -> new LsmStore(directory, synced);
            case ROCKSDB -> new RocksStore(directory, synced, cacheBytes, isLimited);
            case LMDB -> new LmdbStore(directory, synced, isLimited);
            case MVSTORE -> new MvStore(directory, synced);
        };
    }
}
