// SPDX-License-Identifier: Apache-2.0
package lsmlab.load.count;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import lsmlab.load.result.TracedRequests;
import lsmlab.load.result.TracedRequests.Pause;
import lsmlab.load.result.TracedRequests.Traced;

/** The slowest requests of one thread, as many others drawn at random among all, and when the thread itself was late. */
public final class SlowRequests {
    /** Of each kind. */
    private static final int MOST = 20_000;
    private static final Comparator<Traced> FASTEST_FIRST = Comparator.comparingLong(Traced::responseNanos);

    private static final int MOST_PAUSES = 10_000;
    private static final long SHORTEST_PAUSE_NANOS = 1_000_000;

    private final int thread;
    private final int capacity;
    private final PriorityQueue<Traced> slowest = new PriorityQueue<>(FASTEST_FIRST);
    private final List<Traced> drawn = new ArrayList<>();
    private final List<Pause> pauses = new ArrayList<>();
    private final SplittableRandom random = new SplittableRandom();
    private long beginNanos;
    private long seen;

    /**
     * @param thread its number, from 0
     * @param share of the requests to keep, 0 to 1
     * @param requests expected in the run
     * @param beginNanos when what is counted begins
     */
    public SlowRequests(int thread, double share, double requests, long beginNanos) {
        this.thread = thread;
        this.beginNanos = beginNanos;
        capacity = (int) Math.clamp(Math.ceil(share * requests), 1, MOST);
    }

    /** One response; times by System.nanoTime. */
    public void completed(int port, int number, int status, long dueNanos, long freeNanos, long sentNanos, long receivedNanos) {
        seen++;
        long place = seen <= capacity ? seen - 1 : random.nextLong(seen);
        boolean isSlow = slowest.size() < capacity || receivedNanos - dueNanos > slowest.peek().responseNanos();
        if (!isSlow && place >= capacity) {
            return;
        }
        Traced request = new Traced(thread, port, number, status, dueNanos, freeNanos, sentNanos, receivedNanos);
        if (isSlow) {
            if (slowest.size() == capacity) {
                slowest.poll();
            }
            slowest.add(request);
        }
        if (place < capacity && place == drawn.size()) {
            drawn.add(request);
        } else if (place < capacity) {
            drawn.set((int) place, request);
        }
    }

    /** The thread did not look at its connections in this time; short pauses are left out. */
    public void paused(long fromNanos, long toNanos) {
        if (toNanos - fromNanos >= SHORTEST_PAUSE_NANOS && pauses.size() < MOST_PAUSES) {
            pauses.add(new Pause(thread, fromNanos, toNanos));
        }
    }

    /** Forgets the requests that it has seen: what is counted begins now. */
    public void reset(long nowNanos) {
        beginNanos = nowNanos;
        slowest.clear();
        drawn.clear();
        seen = 0;
    }

    /** Of all threads together: this share of the slowest, slowest first, and as many drawn from all. */
    public static TracedRequests of(List<SlowRequests> threads, double share, long endNanos) {
        long begin = threads.stream().mapToLong(thread -> thread.beginNanos).min().orElse(endNanos);
        long seen = threads.stream().mapToLong(thread -> thread.seen).sum();
        long count = Math.min(MOST, (long) Math.ceil(share * seen));
        List<Traced> slowest = threads.stream().flatMap(thread -> thread.slowest.stream()).sorted(FASTEST_FIRST.reversed()).limit(count).toList();
        List<Traced> typical = threads.stream().flatMap(thread -> thread.drawn.stream().limit(Math.ceilDiv(count * thread.seen, Math.max(1, seen)))).toList();
        return new TracedRequests(begin, endNanos, seen, slowest, typical.stream().limit(count).toList(), threads.stream().flatMap(thread -> thread.pauses.stream()).toList());
    }
}
