// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage.system;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** Memory outside the heap that Linux may keep in pages of 2 MB: a look at a random place of it then seldom misses the processor's table of pages. Elsewhere it is memory like any other. */
public final class HugePages {
    public static final int PAGE_BYTES = 2 << 20;

    private static final boolean IS_LINUX = System.getProperty("os.name").equals("Linux");
    private static final int READ_AND_WRITE = 3; // PROT_READ | PROT_WRITE
    private static final int PRIVATE_ANONYMOUS = 0x22; // MAP_PRIVATE | MAP_ANONYMOUS
    private static final int NO_FILE = -1;
    private static final int FAILED = -1;
    private static final int ADVISE_HUGE = 14; // MADV_HUGEPAGE

    private static final MethodHandle MMAP = function("mmap", FunctionDescriptor.of(JAVA_LONG, ADDRESS, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG));
    private static final MethodHandle MUNMAP = function("munmap", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_LONG));
    private static final MethodHandle MADVISE = function("madvise", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT));

    private HugePages() {}

    private static MethodHandle function(String name, FunctionDescriptor type) {
        return IS_LINUX ? CLibrary.function(name, type) : null;
    }

    /** Zeroed memory that lives as long as the arena. WHY not of the arena's own: that is zeroed, in small pages, before it could be asked to be in large ones. */
    public static MemorySegment allocate(Arena arena, long bytes) {
        if (MMAP == null || MUNMAP == null || MADVISE == null) {
            return arena.allocate(bytes, Long.BYTES);
        }
        long mappedBytes = bytes + PAGE_BYTES; // so that there is a multiple of a page in it; what lies before and after it takes no memory
        try {
            long mapped = (long) MMAP.invokeExact(MemorySegment.NULL, mappedBytes, READ_AND_WRITE, PRIVATE_ANONYMOUS, NO_FILE, 0L);
            if (mapped == FAILED) {
                throw new OutOfMemoryError("the system has no %d bytes of memory".formatted(bytes));
            }
            MemorySegment all = MemorySegment.ofAddress(mapped).reinterpret(mappedBytes, arena, HugePages::unmap);
            MemorySegment aligned = all.asSlice(-mapped & PAGE_BYTES - 1, bytes);
            int _ = (int) MADVISE.invokeExact(aligned, bytes, ADVISE_HUGE); // a system that has none refuses
            return aligned;
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new AssertionError("the C library threw " + e, e);
        }
    }

    private static void unmap(MemorySegment mapped) {
        try {
            int _ = (int) MUNMAP.invokeExact(mapped, mapped.byteSize());
        } catch (Throwable e) {
            throw new AssertionError("munmap threw " + e, e);
        }
    }
}
