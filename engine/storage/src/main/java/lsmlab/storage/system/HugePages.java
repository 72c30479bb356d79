// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage.system;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * Memory outside the heap that Linux may keep in pages of 2 MB: a look at a random place of it then seldom misses the processor's table of pages. Addresses and not segments are given back: to
 * free memory must take none.
 */
public final class HugePages {
    public static final int PAGE_BYTES = 2 << 20;

    private static final int READ_AND_WRITE = 3; // PROT_READ | PROT_WRITE
    private static final int PRIVATE_ANONYMOUS = 0x22; // MAP_PRIVATE | MAP_ANONYMOUS
    private static final int NO_FILE = -1;
    private static final long FAILED = -1;
    private static final int ADVISE_HUGE = 14; // MADV_HUGEPAGE
    private static final int ADVISE_FREE = 8; // MADV_FREE

    /** 128 MB. WHY they are kept: a new page is zeroed first, and in a virtual machine its host may have to find it. There each third page took 3 to 13 ms, and no write was answered meanwhile. */
    private static final int MOST_KEPT = 64;

    private static final MethodHandle MMAP = function("mmap", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG));
    private static final MethodHandle MUNMAP = function("munmap", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle MADVISE = function("madvise", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT));
    private static final boolean ARE_THERE = MMAP != null && MUNMAP != null && MADVISE != null;

    private static final long[] KEPT = new long[MOST_KEPT]; // GUARDED BY itself, where they were mapped
    private static int kept; // GUARDED BY KEPT

    static {
        if (ARE_THERE) {
            unmap(mapNew(PAGE_BYTES), PAGE_BYTES); // what the JVM links at a first call takes memory
        }
    }

    private HugePages() {}

    private static MethodHandle function(String name, FunctionDescriptor type) {
        return CLibrary.IS_LINUX ? CLibrary.function(name, type) : null;
    }

    /** Whether the system has what the others need; if not, they may not be called. */
    public static boolean areThere() {
        return ARE_THERE;
    }

    /** Memory with room for one page, until {@link #free}. It may hold what somebody else wrote. */
    public static long map() {
        synchronized (KEPT) {
            if (kept > 0) {
                return KEPT[--kept];
            }
        }
        return mapNew(PAGE_BYTES);
    }

    /** With a page more than asked for, so that the bytes can begin at a multiple of a page. What lies before and behind them is never touched. */
    private static long mapNew(long bytes) {
        try {
            long mapped = (long) MMAP.invokeExact(0L, bytes + PAGE_BYTES, READ_AND_WRITE, PRIVATE_ANONYMOUS, NO_FILE, 0L);
            if (mapped == FAILED) {
                throw new OutOfMemoryError("the system has no memory left");
            }
            advise(mapped, bytes, ADVISE_HUGE);
            return mapped;
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new AssertionError("the C library threw " + e, e);
        }
    }

    /** Zeros, until the arena is closed; in huge pages where there are such. */
    public static MemorySegment allocate(long bytes, Arena arena) {
        if (!ARE_THERE) {
            return arena.allocate(bytes, PAGE_BYTES);
        }
        long mapped = mapNew(bytes);
        try {
            return MemorySegment.ofAddress(pageIn(mapped)).reinterpret(bytes, arena, _ -> unmap(mapped, bytes));
        } catch (OutOfMemoryError e) {
            unmap(mapped, bytes);
            throw e;
        }
    }

    private static long pageIn(long mapped) {
        return mapped + (-mapped & PAGE_BYTES - 1);
    }

    /** The page in what was mapped. It can't be read any more once the arena is closed, and must not be freed before. */
    public static MemorySegment page(long mapped, Arena arena) {
        return MemorySegment.ofAddress(pageIn(mapped)).reinterpret(PAGE_BYTES, arena, null);
    }

    /** Some stay mapped, for the next ones who ask; where the system is short of memory, it may take the page itself. */
    public static void free(long mapped) {
        advise(mapped, PAGE_BYTES, ADVISE_FREE); // before the lock is taken: a background thread may lose the processor in this call, and a writer must not wait for it
        synchronized (KEPT) {
            if (kept < MOST_KEPT) {
                KEPT[kept++] = mapped;
                return;
            }
        }
        unmap(mapped, PAGE_BYTES);
    }

    /** A system that does not know the advice refuses it. */
    private static void advise(long mapped, long bytes, int advice) {
        try {
            int _ = (int) MADVISE.invokeExact(pageIn(mapped), bytes, advice);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new AssertionError("the C library threw " + e, e);
        }
    }

    private static void unmap(long mapped, long bytes) {
        try {
            int _ = (int) MUNMAP.invokeExact(mapped, bytes + PAGE_BYTES);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new AssertionError("the C library threw " + e, e);
        }
    }
}
