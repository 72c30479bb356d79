// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage.system;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** What the system reads of a mapped file before it is touched. It is advice: where the system takes none, nothing changes but speed. */
public final class ReadAhead {
    public static final long PAGE_BYTES = pageBytes();

    private static final int RANDOM = 1; // POSIX_MADV_RANDOM
    private static final int WILL_NEED = 3; // POSIX_MADV_WILLNEED

    private static final MethodHandle ADVISE = CLibrary.function("posix_madvise", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT));
    /** Systems read no more for one call than they would read ahead by themselves. */
    private static final long PIECE_BYTES = 128 << 10;

    static {
        advise(MemorySegment.NULL, 0, RANDOM); // what the JVM links at a first call takes memory
    }

    private ReadAhead() {}

    private static int pageBytes() {
        MethodHandle function = CLibrary.function("getpagesize", FunctionDescriptor.of(JAVA_INT));
        try {
            return function == null ? 1 : (int) function.invokeExact();
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new AssertionError("getpagesize threw " + e, e);
        }
    }

    /**
     * From now on a page of the first bytes that is touched is read alone.
     *
     * @param mapped a whole file; of other memory nothing is read
     */
    public static void none(MemorySegment mapped, long length) {
        if (mapped.isMapped()) {
            advise(mapped, length, RANDOM);
        }
    }

    /**
     * Begins to read these bytes, and waits for none of them.
     *
     * @param mapped a whole file; of other memory nothing is read
     */
    public static void begin(MemorySegment mapped, long from, long to) {
        if (mapped.isMapped()) {
            for (long at = from & -PAGE_BYTES; at < to; at += PIECE_BYTES) {
                long length = Math.min(PIECE_BYTES, to - at);
                advise(mapped.asSlice(at, length), length, WILL_NEED);
            }
        }
    }

    private static void advise(MemorySegment bytes, long length, int advice) {
        if (ADVISE == null) {
            return;
        }
        try {
            int _ = (int) ADVISE.invokeExact(bytes, length, advice);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new AssertionError("posix_madvise threw " + e, e);
        }
    }
}
