// SPDX-License-Identifier: Apache-2.0
package lsmlab.bench;

import static org.lmdbjava.EnvFlags.MDB_NOSYNC;

import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.io.IOException;
import java.nio.file.Path;
import org.lmdbjava.CursorIterable;
import org.lmdbjava.Dbi;
import org.lmdbjava.DbiFlags;
import org.lmdbjava.Env;
import org.lmdbjava.EnvFlags;
import org.lmdbjava.KeyRange;
import org.lmdbjava.Txn;

/** LMDB: {@link #CONFIGURATION}. */
final class LmdbStore implements Store {
    static final String CONFIGURATION = "one transaction a put, MDB_NOSYNC unless synced, a read transaction kept and renewed for each get";

    private static final long MAP_BYTES = 64L << 30;

    private final Env<ByteBuffer> env;
    private final Dbi<ByteBuffer> dbi;
    private final ThreadLocal<Txn<ByteBuffer>> reader;
    private final ThreadLocal<ByteBuffer> keys = ThreadLocal.withInitial(() -> ByteBuffer.allocateDirect(Data.KEY_BYTES));
    private final ThreadLocal<ByteBuffer> values = ThreadLocal.withInitial(() -> ByteBuffer.allocateDirect(1 << 16));

    LmdbStore(Path directory, boolean synced) throws IOException {
        Files.createDirectories(directory);
        EnvFlags[] flags = synced ? new EnvFlags[] {} : new EnvFlags[] {MDB_NOSYNC};
        env = Env.create().setMapSize(MAP_BYTES).setMaxReaders(64).open(directory.toFile(), flags);
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
    public int get(byte[] key) {
        Txn<ByteBuffer> txn = reader.get();
        txn.renew();
        ByteBuffer value = dbi.get(txn, key(key));
        int length = value == null ? -1 : value.remaining();
        txn.reset();
        return length;
    }

    @Override
    public long scan(byte[] from, int entries) {
        long sum = 0;
        byte[] bytes = new byte[1 << 16];
        try (Txn<ByteBuffer> txn = env.txnRead(); CursorIterable<ByteBuffer> all = dbi.iterate(txn, KeyRange.atLeast(key(from)))) {
            int count = 0;
            for (CursorIterable.KeyVal<ByteBuffer> entry : all) {
                ByteBuffer value = entry.val();
                int length = value.remaining();
                value.get(bytes, 0, length);
                for (int at = 0; at < length; at++) {
                    sum += bytes[at];
                }
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
