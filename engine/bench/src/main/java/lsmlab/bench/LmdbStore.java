// SPDX-License-Identifier: Apache-2.0
package lsmlab.bench;

import static org.lmdbjava.EnvFlags.MDB_NORDAHEAD;
import static org.lmdbjava.EnvFlags.MDB_NOSYNC;

import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import org.lmdbjava.CursorIterable;
import org.lmdbjava.Dbi;
import org.lmdbjava.DbiFlags;
import org.lmdbjava.Env;
import org.lmdbjava.EnvFlags;
import org.lmdbjava.KeyRange;
import org.lmdbjava.Txn;

/** LMDB: {@link #CONFIGURATION}. */
final class LmdbStore implements Store {
    static final String CONFIGURATION = "one transaction a put, MDB_NOSYNC unless synced, a read transaction kept and renewed for each get; with limited memory MDB_NORDAHEAD";

    private static final long MAP_BYTES = 64L << 30;

    private final Env<ByteBuffer> env;
    private final Dbi<ByteBuffer> dbi;
    private final ThreadLocal<Txn<ByteBuffer>> reader;
    private final ThreadLocal<ByteBuffer> keys = ThreadLocal.withInitial(() -> ByteBuffer.allocateDirect(Data.KEY_BYTES));
    private final ThreadLocal<ByteBuffer> values = ThreadLocal.withInitial(() -> ByteBuffer.allocateDirect(Value.MOST_BYTES));

    /** @param noReadAhead only the page that is asked for is read */
    LmdbStore(Path directory, boolean synced, boolean noReadAhead) throws IOException {
        Files.createDirectories(directory);
        EnumSet<EnvFlags> flags = EnumSet.noneOf(EnvFlags.class);
        if (!synced) {
            flags.add(MDB_NOSYNC);
        }
        if (noReadAhead) {
            flags.add(MDB_NORDAHEAD);
        }
        env = Env.create().setMapSize(MAP_BYTES).setMaxReaders(64).open(directory.toFile(), flags.toArray(EnvFlags[]::new));
        dbi = env.openDbi((String) null, DbiFlags.MDB_CREATE);
        reader = ThreadLocal.withInitial(() -> {
            Txn<ByteBuffer> txn = env.txnRead();
            txn.reset();
            return txn;
        });
    }

    private ByteBuffer key(byte[] key) {
        return keys.get().clear().put(key).flip();
    }

    @Override
    public void put(byte[] key, byte[] value) {
        dbi.put(key(key), values.get().clear().put(value).flip());
    }

    @Override
    public void putAll(List<byte[]> keys, List<byte[]> values) {
        try (Txn<ByteBuffer> txn = env.txnWrite()) {
            for (int i = 0; i < keys.size(); i++) {
                dbi.put(txn, key(keys.get(i)), this.values.get().clear().put(values.get(i)).flip());
            }
            txn.commit();
        }
    }

    @Override
    public boolean get(byte[] key, Value into) {
        return read(key, into);
    }

    @Override
    public boolean view(byte[] key) {
        return read(key, null);
    }

    /** @param into null: the value stays where it is */
    private boolean read(byte[] key, Value into) {
        Txn<ByteBuffer> txn = reader.get();
        txn.renew();
        boolean found = read(txn, key, into);
        txn.reset();
        return found;
    }

    private boolean read(Txn<ByteBuffer> txn, byte[] key, Value into) {
        ByteBuffer value = dbi.get(txn, key(key));
        if (value != null && into != null) {
            copy(value, into);
        }
        return value != null;
    }

    @Override
    public int getAll(List<byte[]> keys, Value into) {
        Txn<ByteBuffer> txn = reader.get();
        txn.renew();
        int found = 0;
        for (byte[] key : keys) {
            found += read(txn, key, into) ? 1 : 0;
        }
        txn.reset();
        return found;
    }

    private static void copy(ByteBuffer value, Value into) {
        into.length = value.remaining();
        value.get(into.bytes, 0, into.length);
    }

    @Override
    public long scan(byte[] from, int entries, Value into) {
        long sum = 0;
        try (Txn<ByteBuffer> txn = env.txnRead(); CursorIterable<ByteBuffer> all = dbi.iterate(txn, KeyRange.atLeast(key(from)))) {
            int count = 0;
            for (CursorIterable.KeyVal<ByteBuffer> entry : all) {
                copy(entry.val(), into);
                sum += into.sum();
                if (++count == entries) {
                    break;
                }
            }
        }
        return sum;
    }

    @Override
    public void settle() {}

    @Override
    public void compact() {}

    @Override
    public void close() {
        env.close();
    }
}
