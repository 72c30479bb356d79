// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage.system;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.function.LongSupplier;

/**
 * Guesses whether a thread's reads of mapped files often wait for a disk, from what the thread has read from disks lately. WHY: asking for several pages at once costs a system call. That is much
 * if they are in memory, and little if the thread would wait for each of them.
 */
public final class ColdReads {
    private static final int READS = 256; // between two looks
    private static final int FEW = READS / 8; // from the disk
    private static final int THREAD = 1; // RUSAGE_THREAD
    private static final int USAGE_LONGS = 18; // struct rusage
    private static final int SECTORS_READ = 11; // ru_inblock
    private static final int PAGE_SECTORS = 8;

    private static final MethodHandle USAGE = CLibrary.IS_LINUX
            ? CLibrary.function("getrusage", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS), Linker.Option.critical(true))
            : null;

    private final LongSupplier sectorsRead;
    private int left = READS;
    private long thread; // that looked last
    private long sectors;
    private boolean areLikely;

    public ColdReads() {
        this(ColdReads::sectorsRead);
    }

    /** @param sectorsRead of 512 bytes, by the calling thread, since some moment */
    public ColdReads(LongSupplier sectorsRead) {
        this.sectorsRead = sectorsRead;
    }

    /** Whether more than one in eight of the last few hundred reads waited for a disk. Called once for each read. */
    public boolean areLikely() {
        if (--left == 0) {
            left = READS;
            look();
        }
        return areLikely;
    }

    private void look() {
        long threadBefore = thread;
        long sectorsBefore = sectors;
        thread = Thread.currentThread().threadId();
        sectors = sectorsRead.getAsLong();
        areLikely = thread == threadBefore && sectors - sectorsBefore > FEW * PAGE_SECTORS;
    }

    /** What the calling thread has read from disks; 0 where the system does not say. */
    private static long sectorsRead() {
        if (USAGE == null) {
            return 0;
        }
        long[] usage = new long[USAGE_LONGS];
        try {
            int _ = (int) USAGE.invokeExact(THREAD, MemorySegment.ofArray(usage));
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new AssertionError("getrusage threw " + e, e);
        }
        return usage[SECTORS_READ];
    }
}
