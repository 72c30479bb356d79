// SPDX-License-Identifier: Apache-2.0
package lsmlab.server.trace;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.net.InetSocketAddress;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import lsmlab.server.trace.RequestTrace.Stage;
import lsmlab.storage.stats.WriteTrace;
import lsmlab.storage.stats.WriteTrace.Step;

/**
 * The traces of the last requests, outside the heap. To add one takes no lock and no allocation, but for a block of memory for each 1,024 of the first round. An
 * entry is, in little endian:
 *
 * <pre>
 *     8   number of the entry + 1; 0 before the first, -1 while one is written
 *     8   when the request could be read, nanoseconds of System.nanoTime
 *     4   port of the client              4   number of the request on its connection, from 0
 *     4   id of the selector's thread     4   id of the thread that handled it
 *     2   method                          2   status           4   node that answered last, -1: none was asked
 *     4   each: when it passed a stage, then when its write began and passed a step: {@link #UNIT_NANOS} after it could be read, -1: it did not
 * </pre>
 */
public final class RequestLog {
    /** Times in an entry have this unit. */
    public static final int UNIT_NANOS = 8;
    /** Without the entry's own number. */
    public static final int ENTRY_BYTES;
    static final int ENTRY_INTS;
    private static final int BLOCK = 1 << 10; // entries
    private static final long MOST_UNITS = 0xFFFF_FFFEL;
    private static final int NOT_PASSED = -1;
    private static final long WRITING = -1;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle NUMBER = LONG.varHandle();
    private static final Step[] STEPS = Step.values();
    private static final int HEAD_INTS = 8;
    private static final int TIMES_AT = Long.BYTES + HEAD_INTS * Integer.BYTES;
    private static final int CACHE_LINE_BYTES = 64;
    private static final int STRIDE; // from one entry to the next

    static {
        int times = RequestTrace.STAGES.length + 1 + STEPS.length;
        ENTRY_BYTES = TIMES_AT - Long.BYTES + (times + times % 2) * Integer.BYTES;
        STRIDE = Math.ceilDiv(Long.BYTES + ENTRY_BYTES, CACHE_LINE_BYTES) * CACHE_LINE_BYTES;
        ENTRY_INTS = ENTRY_BYTES / Integer.BYTES;
    }

    private final int capacity;
    private final AtomicLong next = new AtomicLong();
    private final AtomicReferenceArray<MemorySegment> blocks;
    private final Arena arena = Arena.ofShared();

    /** @param capacity entries to keep */
    public RequestLog(int capacity) {
        this.capacity = Math.ceilDiv(capacity, BLOCK) * BLOCK;
        blocks = new AtomicReferenceArray<>(this.capacity / BLOCK);
    }

    /** A trace for a new connection; the address is null if that has gone already. */
    public RequestTrace connected(InetSocketAddress client) {
        return new RequestTrace(client == null ? 0 : client.getPort(), this);
    }

    /** The names of an entry's times, in their order. */
    public static List<String> names() {
        return Stream.of(Arrays.stream(RequestTrace.STAGES).map(Stage::name), Stream.of("WRITE"), Arrays.stream(STEPS).map(step -> "WRITE_" + step.name()))
                .flatMap(names -> names).toList();
    }

    /** Without memory for its block the entry is left out. */
    void add(RequestTrace trace) {
        long number = next.getAndIncrement();
        try {
            add(trace, number, block((int) (number % capacity / BLOCK)));
        } catch (OutOfMemoryError e) {
            // the request is answered, and that counts
        }
    }

    /**
     * WHY it does not ask first what the entry holds: that is memory which no cache has any more, and stores into it need not wait. Two threads write the same entry only where one of them stands
     * still in here for a whole round of the others.
     */
    private void add(RequestTrace trace, long number, MemorySegment block) {
        long at = number % BLOCK * STRIDE;
        NUMBER.setOpaque(block, at, WRITING);
        VarHandle.storeStoreFence();
        MemorySegment.copy(trace.entry, 0, block, INT, at + Long.BYTES, fill(trace.entry, trace));
        NUMBER.setRelease(block, at, number + 1);
    }

    /** Puts a request into an entry; returns the number of its ints. WHY an array first: each access to the memory outside the heap is checked, and one copy is one check. */
    private static int fill(int[] entry, RequestTrace trace) {
        long begin = trace.readableNanos();
        entry[0] = (int) begin;
        entry[1] = (int) (begin >>> Integer.SIZE);
        entry[2] = trace.clientPort;
        entry[3] = trace.number();
        entry[4] = trace.selector();
        entry[5] = trace.handler();
        entry[6] = trace.method() | trace.status() << Short.SIZE;
        entry[7] = trace.node();
        int at = HEAD_INTS;
        for (Stage stage : RequestTrace.STAGES) {
            entry[at++] = trace.nanos(stage) == RequestTrace.NOT_PASSED ? NOT_PASSED : units(trace.nanos(stage) - begin);
        }
        WriteTrace write = trace.write;
        entry[at++] = write.isBegun() ? units(write.beganNanos() - begin) : NOT_PASSED;
        for (Step step : STEPS) {
            entry[at++] = write.isBegun() && write.isTaken(step) ? units(write.endNanos(step) - begin) : NOT_PASSED;
        }
        return at;
    }

    private static int units(long nanos) {
        return (int) Math.clamp(nanos / UNIT_NANOS, 0, MOST_UNITS);
    }

    private MemorySegment block(int index) {
        MemorySegment block = blocks.get(index);
        if (block != null) {
            return block;
        }
        synchronized (arena) {
            if (blocks.get(index) == null) {
                blocks.set(index, arena.allocate((long) BLOCK * STRIDE, CACHE_LINE_BYTES));
            }
            return blocks.get(index);
        }
    }

    /** Frees the memory. REQUIRES: no request is under way. */
    void close() {
        arena.close();
    }

    /** Entries that were overwritten so far. */
    public long lost() {
        return Math.max(0, next.get() - capacity);
    }

    /** How many there were so far. */
    long count() {
        return next.get();
    }

    /** How long requests were inside the server: every {@code step}th entry from {@code from} to before {@code to}. Skips entries that are not yet written, or overwritten. */
    long[] insideNanos(long from, long to, long step) {
        return LongStream.iterate(Math.max(from, to - capacity), number -> number < to, number -> number + step).map(this::insideNanos).filter(nanos -> nanos >= 0).toArray();
    }

    private long insideNanos(long number) {
        MemorySegment block = blocks.get((int) (number % capacity / BLOCK));
        long at = number % BLOCK * STRIDE;
        if (block == null || (long) NUMBER.getAcquire(block, at) != number + 1) {
            return NOT_PASSED;
        }
        long nanos = writtenAfterNanos(block, at);
        VarHandle.loadLoadFence();
        return (long) NUMBER.getOpaque(block, at) == number + 1 ? nanos : NOT_PASSED;
    }

    /** After the request could be read. */
    private static long writtenAfterNanos(MemorySegment block, long at) {
        return (block.get(INT, at + TIMES_AT + (long) Stage.WRITTEN.ordinal() * Integer.BYTES) & 0xFFFF_FFFFL) * UNIT_NANOS;
    }

    /** Reads the entries that are there when it is made, oldest first. */
    public Reader reader(long fromNanos, long toNanos) {
        return new Reader(fromNanos, toNanos);
    }

    /** Copies entries of requests that were under way in some span of time. */
    public final class Reader {
        private final long fromNanos;
        private final long toNanos;
        private final long end = next.get();
        private long number = Math.max(0, end - capacity);

        private Reader(long fromNanos, long toNanos) {
            this.fromNanos = fromNanos;
            this.toNanos = toNanos;
        }

        /** Fills the buffer with whole entries; returns how many, 0 at the end. Entries that are overwritten meanwhile are passed over. */
        public int read(byte[] buffer) {
            MemorySegment to = MemorySegment.ofArray(buffer);
            int count = 0;
            for (; number < end && (count + 1) * ENTRY_BYTES <= buffer.length; number++) {
                MemorySegment block = blocks.get((int) (number % capacity / BLOCK));
                long at = number % BLOCK * STRIDE;
                if (block != null && (long) NUMBER.getAcquire(block, at) == number + 1 && isWanted(block, at)) {
                    MemorySegment.copy(block, at + Long.BYTES, to, (long) count * ENTRY_BYTES, ENTRY_BYTES);
                    VarHandle.loadLoadFence();
                    count += (long) NUMBER.getOpaque(block, at) == number + 1 ? 1 : 0;
                }
            }
            return count;
        }

        private boolean isWanted(MemorySegment block, long at) {
            long begin = block.get(LONG, at + 8);
            return begin < toNanos && begin + writtenAfterNanos(block, at) > fromNanos;
        }
    }
}
