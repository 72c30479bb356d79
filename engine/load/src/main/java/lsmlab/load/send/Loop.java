// SPDX-License-Identifier: Apache-2.0
package lsmlab.load.send;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.function.Consumer;

/** What a thread of load waits for: connections that are ready, and connections whose time has come. For that thread, except {@link #wake}. */
final class Loop implements AutoCloseable {
    private final Selector selector = Selector.open();
    private final PriorityQueue<Connection> timers = new PriorityQueue<>(Comparator.comparingLong((Connection c) -> c.dueNanos));
    private final Consumer<SelectionKey> onReady = this::ready;
    private final ByteBuffer readBuffer = ByteBuffer.allocateDirect(256 << 10);
    private Pacer pacer;

    Loop() throws IOException {}

    /** REQUIRES: the thread that goes round. */
    void begin() {
        pacer = new Pacer(selector, Thread.currentThread().getName() + "-pacer");
    }

    private void ready(SelectionKey key) {
        ((Connection) key.attachment()).onReady();
    }

    /** Calls each connection that is due; returns the time after that. */
    long callDue(long now) {
        long due = now; // fixed: connections that fail at once are due again soon, and with a moving time this might never end
        while (!timers.isEmpty() && timers.peek().dueNanos <= due) {
            timers.poll().onTime(now);
            now = System.nanoTime();
        }
        return now;
    }

    /** Waits until a connection is ready or due, or until the deadline, and calls those that are ready; returns when it should have gone on at the latest. */
    long select(long deadlineNanos) throws IOException {
        long due = timers.isEmpty() ? deadlineNanos : Math.min(deadlineNanos, timers.peek().dueNanos);
        pacer.select(due, onReady);
        return due;
    }

    void callOnTime(Connection connection) {
        timers.add(connection);
    }

    void dequeue(Connection connection) {
        timers.remove(connection);
    }

    Selector selector() {
        return selector;
    }

    /** For one read at a time. */
    ByteBuffer readBuffer() {
        return readBuffer;
    }

    /** Ends a wait early; any thread may ask. */
    void wake() {
        selector.wakeup();
    }

    @Override
    public void close() {
        if (pacer != null) {
            pacer.close();
        }
        try {
            selector.close();
        } catch (IOException e) {
            // the load is over
        }
    }
}
