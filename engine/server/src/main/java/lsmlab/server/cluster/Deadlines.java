// SPDX-License-Identifier: Apache-2.0
package lsmlab.server.cluster;

import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;

/**
 * Ends waits for replies after a time that is the same for all of them. WHY not {@code orTimeout}: the JDK's thread for that ends for good, or
 * drops timers, when memory runs out for a moment (JDK 25), and these waits have no other limit. This one allocates nothing when a time is over.
 */
final class Deadlines implements AutoCloseable {
    private static final int TURNS = 20; // of the thread in the time of a wait
    private static final long MAX_TURN_NANOS = 50_000_000;

    private final long nanos;
    private final Queue<Wait> waits = new ConcurrentLinkedQueue<>(); // the first ends first
    private final Runnable everyTurn;
    private final Thread thread;
    private volatile boolean closed;

    /** One wait; {@link #done} must follow. */
    final class Wait {
        private final long startNanos = System.nanoTime();
        private volatile CompletableFuture<Peers.Reply> reply;

        private Wait(CompletableFuture<Peers.Reply> reply) {
            this.reply = reply;
        }

        /** The reply has come: what it holds is not kept until the time is over. */
        void done() {
            reply = null;
        }

        private boolean isOver() {
            return System.nanoTime() - startNanos >= nanos;
        }
    }

    /** @param everyTurn is called often; it must not fail */
    Deadlines(Duration time, Runnable everyTurn) {
        nanos = time.toNanos();
        this.everyTurn = everyTurn;
        thread = Thread.ofPlatform().daemon().name("peer-timeouts").start(this::run);
    }

    /** From now on the future gets {@link Peers#TIMED_OUT} when the time is over. */
    Wait begin(CompletableFuture<Peers.Reply> reply) {
        Wait wait = new Wait(reply);
        waits.add(wait);
        return wait;
    }

    private void run() {
        while (!closed) {
            LockSupport.parkNanos(this, Math.min(MAX_TURN_NANOS, nanos / TURNS));
            everyTurn.run();
            for (Wait first = waits.peek(); first != null && (first.reply == null || first.isOver()); first = waits.peek()) {
                waits.poll();
                end(first.reply);
            }
        }
    }

    /** @param reply null: it has come */
    private static void end(CompletableFuture<Peers.Reply> reply) {
        try {
            if (reply != null) {
                reply.complete(Peers.TIMED_OUT);
            }
        } catch (RuntimeException | Error e) {
            // Of what follows the reply; the next wait must end, too.
        }
    }

    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(thread);
    }
}
