// SPDX-License-Identifier: Apache-2.0
package lsmlab.bench;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.Cache;
import org.rocksdb.CompactionStyle;
import org.rocksdb.CompressionType;
import org.rocksdb.FlushOptions;
import org.rocksdb.LRUCache;
import org.rocksdb.Options;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteBufferManager;
import org.rocksdb.WriteOptions;

/** RocksDB as its users would set it up for data in memory, or for more than that: {@link #CONFIGURATION}. */
final class RocksStore implements Store {
    /** One more than the runs that this project's tiered compaction allows: RocksDB merges when there are as many, unless it sees no reason to. */
    private static final int MAX_RUNS = 9;

    private static final int IDLE_POLLS = 10; // of 10 ms, in which a compaction that is pending would have begun

    private static final double SHARE_OF_INDEXES = 0.5; // of a cache that holds them and filters, which stay there longer than blocks

    static final String CONFIGURATION = "universal compaction with a trigger of " + MAX_RUNS
            + " runs, 64 MB memtables, 10-bit Bloom filters, no compression, block cache for all data (of limited memory a third, memtables, filters and indexes included, and one arena of malloc), 2 background jobs, default log";

    static {
        RocksDB.loadLibrary();
    }

    private final Options options;
    private final Cache cache;
    private final WriteBufferManager memtables;
    private final RocksDB db;
    private final WriteOptions writes;
    private final ReadOptions reads = new ReadOptions();
    private final ThreadLocal<ByteBuffer> buffers = ThreadLocal.withInitial(() -> ByteBuffer.allocateDirect(Value.MOST_BYTES));

    /** @param isLimited whether memory is short: memtables, filters and indexes then count as parts of the cache, which bounds what all of them take */
    RocksStore(Path directory, boolean synced, long cacheBytes, boolean isLimited) throws RocksDBException {
        cache = new LRUCache(cacheBytes, -1, false, isLimited ? SHARE_OF_INDEXES : 0);
        memtables = new WriteBufferManager(cacheBytes / 2, cache);
        options = new Options().setCreateIfMissing(true)
                .setCompactionStyle(CompactionStyle.UNIVERSAL)
                .setLevel0FileNumCompactionTrigger(MAX_RUNS)
                .setWriteBufferSize(64L << 20)
                .setCompressionType(CompressionType.NO_COMPRESSION)
                .setMaxBackgroundJobs(2)
                .setTableFormatConfig(new BlockBasedTableConfig().setFilterPolicy(new BloomFilter(10)).setBlockCache(cache).setCacheIndexAndFilterBlocks(isLimited));
        if (isLimited) {
            options.setWriteBufferManager(memtables);
        }
        db = RocksDB.open(options, directory.toString());
        writes = new WriteOptions().setSync(synced);
    }

    @Override
    public void put(byte[] key, byte[] value) throws RocksDBException {
        db.put(writes, key, value);
    }

    @Override
    public void putAll(List<byte[]> keys, List<byte[]> values) throws RocksDBException {
        try (WriteBatch batch = new WriteBatch()) {
            for (int i = 0; i < keys.size(); i++) {
                batch.put(keys.get(i), values.get(i));
            }
            db.write(writes, batch);
        }
    }

    @Override
    public boolean get(byte[] key, Value into) throws RocksDBException {
        into.length = db.get(reads, key, into.bytes);
        return into.length != RocksDB.NOT_FOUND;
    }

    @Override
    public int getAll(List<byte[]> keys, Value into) throws RocksDBException {
        int found = 0;
        for (byte[] value : db.multiGetAsList(reads, keys)) {
            found += value == null ? 0 : 1;
        }
        return found;
    }

    @Override
    public long scan(byte[] from, int entries, Value into) {
        long sum = 0;
        ByteBuffer buffer = buffers.get();
        try (RocksIterator iterator = db.newIterator(reads)) {
            iterator.seek(from);
            for (int i = 0; i < entries && iterator.isValid(); i++, iterator.next()) {
                into.length = iterator.value(buffer.clear());
                buffer.get(0, into.bytes, 0, into.length);
                sum += into.sum();
            }
        }
        return sum;
    }

    /** Each table of level 0 is a run, and each level below that holds tables. */
    @Override
    public int runs() throws RocksDBException {
        int runs = Integer.parseInt(db.getProperty("rocksdb.num-files-at-level0"));
        for (int level = 1; level < options.numLevels(); level++) {
            runs += db.getProperty("rocksdb.num-files-at-level" + level).equals("0") ? 0 : 1;
        }
        return runs;
    }

    /**
     * Asks again and again: the Java binding has no call that waits for compactions. WHY not until none is pending: with {@link #MAX_RUNS} runs it can call one pending for ever and see no
     * reason to begin it.
     */
    @Override
    public void settle() throws RocksDBException, InterruptedException {
        try (FlushOptions flush = new FlushOptions().setWaitForFlush(true)) {
            db.flush(flush);
        }
        for (int idle = 0; idle < IDLE_POLLS; idle++) {
            if (isAny("rocksdb.num-running-compactions")) {
                idle = 0;
            } else if (!isAny("rocksdb.compaction-pending")) {
                return;
            }
            TimeUnit.MILLISECONDS.sleep(10);
        }
    }

    private boolean isAny(String property) throws RocksDBException {
        return db.getLongProperty(property) > 0;
    }

    @Override
    public void compact() throws RocksDBException, InterruptedException {
        settle();
        db.compactRange();
    }

    @Override
    public void close() {
        db.close();
        writes.close();
        reads.close();
        options.close();
        memtables.close();
        cache.close();
    }
}
