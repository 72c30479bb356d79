// SPDX-License-Identifier: Apache-2.0
package lsmlab.bench;

import java.nio.file.Files;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.h2.mvstore.Cursor;
import org.h2.mvstore.DataUtils;
import org.h2.mvstore.MVMap;
import org.h2.mvstore.MVStore;
import org.h2.mvstore.WriteBuffer;
import org.h2.mvstore.type.BasicDataType;

/** H2's MVStore: {@link #CONFIGURATION}. */
final class MvStore implements Store {
    static final String CONFIGURATION = "pages cached on a heap of 4 GB, written in the background unless synced, retention time 5 s";

    private static final int CACHE_MB = 3_000;
    private static final int RETENTION_MILLIS = 5_000; // readers lose their pages when it is 0

    private final MVStore store;
    private final MVMap<byte[], byte[]> map;
    private final boolean synced;

    MvStore(Path directory, boolean synced) throws IOException {
        Files.createDirectories(directory);
        this.synced = synced;
        MVStore.Builder builder = new MVStore.Builder().fileName(directory.resolve("store.mv").toString()).cacheSize(CACHE_MB);
        store = (synced ? builder.autoCommitDisabled() : builder).open();
        store.setRetentionTime(RETENTION_MILLIS); // with the default its file grows to twenty times the data
        map = store.openMap("map", new MVMap.Builder<byte[], byte[]>().keyType(new Bytes()).valueType(new Bytes()));
    }

    @Override
    public void put(byte[] key, byte[] value) {
        map.put(key, value.clone());
        if (synced) {
            store.commit();
            store.sync();
        }
    }

    /** The store knows no batches; this one is durable as a whole. */
    @Override
    public void putAll(List<byte[]> keys, List<byte[]> values) {
        for (int i = 0; i < keys.size(); i++) {
            map.put(keys.get(i), values.get(i).clone());
        }
        store.commit();
        if (synced) {
            store.sync();
        }
    }

    @Override
    public boolean get(byte[] key, Value into) {
        byte[] value = map.get(key);
        if (value != null) {
            copy(value, into);
        }
        return value != null;
    }

    private static void copy(byte[] value, Value into) {
        into.length = value.length;
        System.arraycopy(value, 0, into.bytes, 0, value.length);
    }

    @Override
    public long scan(byte[] from, int entries, Value into) {
        long sum = 0;
        MVStore.TxCounter version = store.registerVersionUsage(); // or the background thread drops what a long scan has yet to read
        try {
            Cursor<byte[], byte[]> cursor = map.cursor(from);
            for (int i = 0; i < entries && cursor.hasNext(); i++) {
                cursor.next();
                copy(cursor.getValue(), into);
                sum += into.sum();
            }
        } finally {
            store.deregisterVersionUsage(version);
        }
        return sum;
    }

    @Override
    public void settle() {
        store.commit();
    }

    @Override
    public void compact() {
        store.commit();
    }

    @Override
    public void close() {
        store.close();
    }

    /** Byte arrays, ordered unsigned. */
    private static final class Bytes extends BasicDataType<byte[]> {
        private static final int OBJECT_BYTES = 24;

        @Override
        public int compare(byte[] a, byte[] b) {
            return Arrays.compareUnsigned(a, b);
        }

        @Override
        public int getMemory(byte[] bytes) {
            return OBJECT_BYTES + bytes.length;
        }

        @Override
        public void write(WriteBuffer buffer, byte[] bytes) {
            buffer.putVarInt(bytes.length).put(bytes);
        }

        @Override
        public byte[] read(java.nio.ByteBuffer buffer) {
            byte[] bytes = new byte[DataUtils.readVarInt(buffer)];
            buffer.get(bytes);
            return bytes;
        }

        @Override
        public byte[][] createStorage(int size) {
            return new byte[size][];
        }
    }
}
