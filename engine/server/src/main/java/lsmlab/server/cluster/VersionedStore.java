// SPDX-License-Identifier: Apache-2.0
package lsmlab.server.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import lsmlab.server.http.RangeStream;
import lsmlab.server.store.Store;
import lsmlab.storage.Engine;
import lsmlab.storage.Scan;
import lsmlab.storage.entries.ValueReader;
import lsmlab.storage.stats.WriteTrace;

/**
 * The replicas that a node of a cluster keeps. A stored value is
 *
 * <pre>
 *     8 bytes, big endian   version * 2 + (1 if it is a tombstone)
 *     the rest              the value; nothing if it is a tombstone
 * </pre>
 *
 * The write with the highest version wins, in whatever order writes arrive. A version that is too far in the future may be replaced by a lower
 * one. Tombstones are kept for ever, because a replica that was down may still have the value.
 */
public final class VersionedStore {
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    public static final int WORD_BYTES = 8;
    private static final int STRIPES = 1 << 10;
    private static final String MARKER = "versioned";
    private static final ValueReader<Void, Versioned> WHOLE = (_, source, at, length) -> Versioned.of(source, at, length);
    private static final ValueReader<Void, Versioned> VERSION_ONLY = (_, source, at, _) -> Versioned.of(source, at, WORD_BYTES);

    private final Store store;
    private final Clock clock;
    private final Object[] stripes = Stream.generate(Object::new).limit(STRIPES).toArray();

    /** @param value null if it is a tombstone */
    record Versioned(long version, byte[] value) {
        private static Versioned of(MemorySegment source, long at, int length) {
            long word = source.get(WORD, at);
            boolean tombstone = (word & 1) == 1;
            return new Versioned(word >>> 1, tombstone ? null : source.asSlice(at + WORD_BYTES, length - WORD_BYTES).toArray(ValueLayout.JAVA_BYTE));
        }
    }

    /**
     * Values with and without versions look alike, so the folder says which it has.
     *
     * @throws IOException if they are not of the kind that is asked for
     */
    public static void check(Path folder, Engine engine, boolean versioned) throws IOException {
        Path marker = folder.resolve(MARKER);
        boolean marked = Files.exists(marker);
        if (marked == versioned) {
            return;
        }
        if (!isEmpty(engine)) {
            throw new IOException("%s holds values %s versions: %s".formatted(folder, marked ? "with" : "without",
                    marked ? "it belongs to a cluster, start it with --cluster" : "a node of a cluster starts with an empty folder"));
        }
        if (versioned) {
            Files.writeString(marker, "The values of this store begin with versions: it belongs to a node of a cluster.\n");
        } else {
            Files.delete(marker);
        }
    }

    private static boolean isEmpty(Engine engine) {
        try (Scan scan = engine.scan(null, null)) {
            return !scan.hasNext();
        } catch (UncheckedIOException e) {
            return false; // something is there, though damaged
        }
    }

    public VersionedStore(Store store, Clock clock) {
        this.store = store;
        this.clock = clock;
    }

    /** Null if there was never a value. */
    Versioned get(MemorySegment key) {
        return store.get(key, null, WHOLE);
    }

    /**
     * Returns the version that the key has then: the given one, unless it had a higher.
     *
     * @param value null deletes the key
     * @param trace of the write; null: none
     * @param overAhead whether to replace a higher version that is too far ahead of this node's clock. WHY not always: if this node's own clock
     *     is wrong, that would lose an acknowledged write
     */
    long apply(MemorySegment key, long keyHash, long version, byte[] value, WriteTrace trace, boolean overAhead) {
        MemorySegment stored = MemorySegment.ofArray(new byte[WORD_BYTES + (value == null ? 0 : value.length)]);
        stored.set(WORD, 0, version << 1 | (value == null ? 1 : 0));
        if (value != null) {
            MemorySegment.copy(value, 0, stored, ValueLayout.JAVA_BYTE, WORD_BYTES, value.length);
        }
        synchronized (stripes[(int) (keyHash & (STRIPES - 1))]) {
            Versioned now = store.get(key, null, VERSION_ONLY);
            if (now != null && now.version >= version && !(overAhead && clock.isAhead(now.version))) {
                return now.version;
            }
            store.put(key, stored, trace);
            return version;
        }
    }

    /** The records of this node, without tombstones. */
    RangeStream.Records range(MemorySegment from, MemorySegment to) {
        RangeStream.Records stored = store.range(from, to);
        return new RangeStream.Records() {
            @Override
            public boolean next() {
                boolean found = stored.next();
                while (found && (stored.value().get(WORD, 0) & 1) == 1) {
                    found = stored.next();
                }
                return found;
            }

            @Override
            public MemorySegment key() {
                return stored.key();
            }

            @Override
            public MemorySegment value() {
                return stored.value().asSlice(WORD_BYTES);
            }

            @Override
            public void close() {
                stored.close();
            }
        };
    }
}
