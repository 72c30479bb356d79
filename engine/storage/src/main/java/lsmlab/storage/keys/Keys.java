// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage.keys;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.List;

/** The one order of keys: byte by byte, unsigned, a prefix before what it begins. Keys are compared in place, without slices. */
public final class Keys {
    private static final ValueLayout.OfLong BIG_ENDIAN = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final long HASH_SEED = 0x9E3779B97F4A7C15L;
    private static final long HASH_FACTOR = 0xD6E8FEB86659FD93L;

    private Keys() {}

    public static int compare(MemorySegment a, MemorySegment b) {
        return compare(a, 0, a.byteSize(), b, 0, b.byteSize());
    }

    public static int compare(MemorySegment a, long aAt, long aLength, MemorySegment b, long bAt, long bLength) {
        long common = Math.min(aLength, bLength);
        long i = 0;
        for (; i + Long.BYTES <= common; i += Long.BYTES) {
            long x = a.get(BIG_ENDIAN, aAt + i);
            long y = b.get(BIG_ENDIAN, bAt + i);
            if (x != y) {
                return Long.compareUnsigned(x, y);
            }
        }
        for (; i < common; i++) {
            int order = Byte.compareUnsigned(a.get(JAVA_BYTE, aAt + i), b.get(JAVA_BYTE, bAt + i));
            if (order != 0) {
                return order;
            }
        }
        return Long.compare(aLength, bLength);
    }

    /** The first eight bytes as a number whose unsigned order is that of the keys; a shorter key is filled with zeros. */
    public static long prefix(MemorySegment key, long at, long length) {
        if (length >= Long.BYTES) {
            return key.get(BIG_ENDIAN, at);
        }
        long prefix = 0;
        for (int i = 0; i < length; i++) {
            prefix |= (key.get(JAVA_BYTE, at + i) & 0xFFL) << (56 - 8 * i);
        }
        return prefix;
    }

    /** The same of what follows the first bytes. */
    public static long prefixAfter(MemorySegment key, long skipped) {
        return prefix(key, skipped, key.byteSize() - skipped);
    }

    /** Whether the key begins with the first {@code length} bytes of another. */
    public static boolean startsWith(MemorySegment key, MemorySegment other, long length) {
        return key.byteSize() >= length && compare(key, 0, length, other, 0, length) == 0;
    }

    /** FORMAT: Bloom filters and block tags on disk depend on this function. */
    public static long hash(MemorySegment key, long at, long length) {
        long hash = HASH_SEED ^ length;
        long i = 0;
        for (; i + Long.BYTES <= length; i += Long.BYTES) {
            hash = mix(hash ^ key.get(BIG_ENDIAN, at + i));
        }
        return mix(mix(hash ^ prefix(key, at + i, length - i)));
    }

    /** A bijection in which each bit depends on most others. */
    public static long mix(long bits) {
        long x = (bits ^ (bits >>> 32)) * HASH_FACTOR;
        return x ^ (x >>> 29);
    }

    /** The first and the last key of some sorted keys, both null if there are none. */
    public record Span(MemorySegment first, MemorySegment last) {

        /** A copy of what all the keys begin with. REQUIRES: keys. */
        public MemorySegment stem() {
            return copy(first.asSlice(0, Keys.commonPrefix(first, last)));
        }
    }

    /** On the heap, so that it outlives the table or memtable it comes from. */
    public static MemorySegment copy(MemorySegment key) {
        return MemorySegment.ofArray(key.toArray(JAVA_BYTE));
    }

    /** Length of what all keys of the spans begin with. */
    public static int commonPrefix(List<Span> spans) {
        MemorySegment any = null;
        int length = 0;
        for (Span span : spans) {
            if (span.first() != null) {
                length = any == null ? (int) span.first().byteSize() : Math.min(length, commonPrefix(any, span.first()));
                any = any == null ? span.first() : any;
                length = Math.min(length, commonPrefix(any, span.last()));
            }
        }
        return length;
    }

    /** WHY not {@code mismatch}: a fault in mapped memory would end the JVM inside of it. */
    public static int commonPrefix(MemorySegment a, MemorySegment b) {
        int common = (int) Math.min(a.byteSize(), b.byteSize());
        int i = 0;
        while (i + Long.BYTES <= common && a.get(BIG_ENDIAN, i) == b.get(BIG_ENDIAN, i)) {
            i += Long.BYTES;
        }
        while (i < common && a.get(JAVA_BYTE, i) == b.get(JAVA_BYTE, i)) {
            i++;
        }
        return i;
    }
}
