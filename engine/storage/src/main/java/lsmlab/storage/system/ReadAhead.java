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
    private static final int RANDOM = 1; // POSIX_MADV_RANDOM
    private static final int WILL_NEED = 3; // POSIX_MADV_WILLNEED

    private static final MethodHandle ADVISE = CLibrary.function("posix_madvise", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT));
    private static final long PAGE_BYTES = pageBytes();

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

    /** From now on a page of these that is touched is read alone. */
    public static void none(MemorySegment mapped, long from, long to) {
        advise(mapped, from, to, RANDOM);
    }

    /** Begins to read these, and waits for none of them. */
    public static void begin(MemorySegment mapped, long from, long to) {
        advise(mapped, from, to, WILL_NEED);
    }

    /** @param mapped a file from its beginning, or memory of another kind, of which nothing is read */
    private static void advise(MemorySegment mapped, long from, long to, int advice) {
        long start = from & -PAGE_BYTES; // a mapping begins with a page
        if (ADVISE == null || !mapped.isMapped() || start >= to) {
            return;
        }
        try {
            int _ = (int) ADVISE.invokeExact(mapped.asSlice(start, to - start), to - start, advice);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new AssertionError("posix_madvise threw " + e, e);
        }
    }
}
