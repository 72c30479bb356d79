// SPDX-License-Identifier: Apache-2.0
package lsmlab.server.wire;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import lsmlab.server.values.ByteSize;

/** The heap that bodies of requests and large answers may take, over all connections together. */
public final class MemoryBudget {
    /** What is smaller is not counted: it is no more than a connection itself takes. */
    public static final int UNCOUNTED_BYTES = 4 << 10;

    /** The share that large bodies may take. The rest is kept for small ones, so stalled large uploads can't block them. */
    private static final double LARGE_SHARE = 0.75;
    /** What is longer is large. */
    public static final int LARGE_BYTES = 64 << 10;

    /** Idle connections may keep buffers while less than one part in this many is used. */
    private static final int KEPT_SHARE = 8;

    private final long limitBytes;
    private final AtomicLong usedBytes = new AtomicLong();
    private final LongAdder refused = new LongAdder();

    public MemoryBudget(long limitBytes) {
        this.limitBytes = limitBytes;
    }

    /**
     * @param of how many bytes in all these are more
     * @throws Refused with 503 if there is no room
     */
    public void take(long bytes, long of) {
        if (usedBytes.addAndGet(bytes) > (of > LARGE_BYTES ? (long) (LARGE_SHARE * limitBytes) : limitBytes)) {
            usedBytes.addAndGet(-bytes);
            refused.increment();
            throw new Refused(503, "bodies of all requests together would take more than " + new ByteSize(limitBytes), "Retry-After: 1");
        }
    }

    public void giveBack(long bytes) {
        usedBytes.addAndGet(-bytes);
    }

    /** The share of one buffer, which grows and shrinks with it. */
    public final class Charge {
        private int bytes;

        /** @throws Refused with 503 if there is no room; the share stays as it was then */
        public void resize(int bufferBytes) {
            int wanted = bufferBytes > UNCOUNTED_BYTES ? bufferBytes : 0;
            if (wanted > bytes) {
                take(wanted - bytes, wanted);
            } else if (wanted < bytes) {
                giveBack(bytes - wanted);
            }
            bytes = wanted;
        }

        boolean isEmpty() {
            return bytes == 0;
        }
    }

    /** Whether connections may keep their buffers for the next request. */
    boolean isAmple() {
        return usedBytes.get() < limitBytes / KEPT_SHARE;
    }

    public long limitBytes() {
        return limitBytes;
    }

    public long usedBytes() {
        return usedBytes.get();
    }

    public long refused() {
        return refused.sum();
    }
}
