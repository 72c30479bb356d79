// SPDX-License-Identifier: Apache-2.0
package lsmlab.load.send;

import java.io.IOException;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import lsmlab.load.count.Tally;
import lsmlab.load.plan.Schedule;

/**
 * One connection and its own {@link Schedule}. After a stall it sends back to back until it is on schedule again, so the total is
 * conserved.
 *
 * <p>One request, or one script's pipelined batch, is in flight at a time. All times are {@link System#nanoTime}. Used by its loop's
 * thread only.
 */
final class Connection {
    /** A connection that was of no use is tried again after this long: without a pause it would burn the core the server needs. */
    private static final long RECONNECT_NANOS = 10_000_000;

    enum Phase {
        CLOSED, CONNECTING,
        /** Connected, with nothing more to send. */
        IDLE,
        WAITING, SENDING, RECEIVING
    }

    private final Loop loop;
    private final Sender sender;
    private final SocketAddress address;
    private final ResponseParser parser;
    private Schedule schedule;
    private long endNanos; // nothing is sent from here on

    private SocketChannel channel;
    private SelectionKey key;
    private ByteBuffer out;
    private Phase phase = Phase.CLOSED;

    /** When the worker must call {@link #onTime}: to connect, or to send. */
    long dueNanos;

    private long number; // of the next request in the plan, from 0
    private long sent; // requests of lower numbers were sent at least once
    private long freeNanos;
    private long intendedNanos;
    private long sentNanos;
    private int pending;
    private boolean timedOut;
    private int answersSinceConnect;
    private int port; // this side's, if requests are traced

    Connection(Loop loop, Sender sender, SocketAddress address) {
        this.loop = loop;
        this.sender = sender;
        this.address = address;
        this.parser = new ResponseParser(sender.wantsResponses());
    }

    /** Connects at the given time. */
    void connectAt(long nanos) {
        dueNanos = nanos;
        loop.callOnTime(this);
    }

    /** Sends by this schedule from now on. REQUIRES: nothing is waited for. */
    void follow(Schedule schedule, long endNanos) {
        if (isBusy()) {
            throw new IllegalStateException(phase.name());
        }
        this.schedule = schedule;
        this.endNanos = endNanos;
        number = 0;
        sent = 0;
        if (phase == Phase.IDLE) {
            nextRequest(Long.MIN_VALUE, System.nanoTime()); // it was free all the time: if this comes late, the generator does
        }
    }

    void onTime(long now) {
        switch (phase) {
            case CLOSED -> connect(now);
            case WAITING -> send();
            default -> throw new IllegalStateException(phase.name());
        }
    }

    private void connect(long now) {
        leaveWarmup(now);
        answersSinceConnect = 0;
        try {
            channel = SocketChannel.open();
            channel.configureBlocking(false);
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            phase = Phase.CONNECTING;
            boolean connected = channel.connect(address);
            key = channel.register(loop.selector(), connected ? SelectionKey.OP_READ : SelectionKey.OP_CONNECT, this);
            if (connected) {
                connected(now);
            }
        } catch (IOException e) {
            connectFailed(now);
        }
    }

    private void connectFailed(long now) {
        tally().connectErrors++;
        reconnect(now);
    }

    void onReady() {
        try {
            if (phase == Phase.CONNECTING && key.isConnectable()) {
                finishConnect(System.nanoTime());
            } else {
                if (phase == Phase.SENDING && key.isWritable()) {
                    write(System.nanoTime());
                }
                if (key.isValid() && key.isReadable()) {
                    read();
                }
            }
        } catch (IOException e) {
            failed(System.nanoTime());
        }
    }

    private void finishConnect(long now) {
        try {
            channel.finishConnect();
        } catch (IOException e) {
            connectFailed(now);
            return;
        }
        key.interestOps(SelectionKey.OP_READ);
        connected(now);
    }

    private void connected(long now) {
        if (sender.tracesRequests()) {
            port = channel.socket().getLocalPort();
        }
        nextRequest(now, now);
    }

    private void nextRequest(long freeNanos, long now) {
        this.freeNanos = freeNanos;
        leaveWarmup(now);
        intendedNanos = schedule.dueNanos(number, freeNanos);
        if (now >= endNanos || intendedNanos >= endNanos) {
            phase = Phase.IDLE;
            return;
        }
        phase = Phase.WAITING;
        if (intendedNanos <= now) {
            send();
        } else {
            dueNanos = intendedNanos;
            loop.callOnTime(this);
        }
    }

    /** What a warm-up left unsent is not made up for. */
    private void leaveWarmup(long now) {
        if (now >= sender.measureNanos()) {
            number = Math.max(number, schedule.firstCounted());
        }
    }

    /** A request counts where it was due: one of the warm-up does not, even if it is answered later. */
    private Tally tally() {
        return sender.tally(number >= schedule.firstCounted());
    }

    private void send() {
        out = sender.nextRequest(out);
        pending = sender.pipelineDepth();
        sentNanos = System.nanoTime(); // making the request took time, and it is the generator's
        timedOut = false;
        phase = Phase.SENDING;
        long fresh = number + pending - Math.max(sent, number);
        if (fresh > 0) { // or all of it is sent again, because the connection was lost
            sent = number + pending;
            sender.sent(tally(), fresh, sentNanos - Math.max(intendedNanos, freeNanos));
        }
        write(sentNanos);
    }

    private void write(long now) {
        try {
            tally().sentBytes += channel.write(out);
        } catch (IOException e) {
            tally().writeErrors++;
            reconnect(now);
            return;
        }
        boolean all = !out.hasRemaining();
        key.interestOps(all ? SelectionKey.OP_READ : SelectionKey.OP_READ | SelectionKey.OP_WRITE);
        if (all) {
            phase = Phase.RECEIVING;
        }
    }

    private void read() throws IOException {
        ByteBuffer in = loop.readBuffer();
        int count = channel.read(in.clear());
        long now = System.nanoTime();
        if (count < 0) {
            if (phase == Phase.IDLE) {
                reconnect(now); // a server may close what is not used
            } else if (parser.endOfStream()) {
                complete(now, false);
            } else {
                failed(now);
            }
            return;
        }
        tally().readBytes += count;
        in.flip();
        while (in.hasRemaining() && isOutstanding() && parser.parse(in)) {
            complete(now, in.hasRemaining());
        }
        if (in.hasRemaining() && (phase == Phase.WAITING || phase == Phase.IDLE)) {
            failed(now); // nothing was asked
        }
    }

    private void complete(long now, boolean moreFollows) {
        checkTimeout(now);
        pending--;
        sender.completed(tally(), parser, intendedNanos, sentNanos, now, pending == 0);
        sender.trace(tally(), port, answersSinceConnect, parser.status(), intendedNanos, freeNanos, sentNanos, now);
        answersSinceConnect++;
        number++;
        if (parser.closes()) {
            closeAndReconnectAt(now);
        } else if (pending == 0 && (moreFollows || phase == Phase.SENDING)) {
            failed(now); // it answers more than it was asked, or before it has seen all: it can't be trusted with the next
        } else if (pending == 0) {
            nextRequest(now, now);
        }
    }

    /** The server closed without a word, reset, or sent what is not HTTP. */
    private void failed(long now) {
        tally().readErrors++;
        reconnect(now);
    }

    private void reconnect(long now) {
        closeAndReconnectAt(answersSinceConnect > 0 ? now : now + RECONNECT_NANOS);
    }

    private void closeAndReconnectAt(long when) {
        loop.dequeue(this);
        close();
        parser.reset();
        pending = 0;
        phase = Phase.CLOSED;
        dueNanos = when;
        loop.callOnTime(this);
    }

    void close() {
        if (channel != null) {
            try {
                channel.close();
            } catch (IOException e) {
                // nothing depends on a connection that is given up
            }
        }
    }

    private boolean isOutstanding() {
        return phase == Phase.SENDING || phase == Phase.RECEIVING;
    }

    /** Counts a request once when it has been outstanding for too long; it goes on being waited for. */
    void checkTimeout(long now) {
        if (!timedOut && isOutstanding() && now - sentNanos > sender.timeoutNanos()) {
            timedOut = true;
            tally().timeouts++;
        }
    }

    /** Adds what was due after the warm-up and before {@code planEnd}, and has no response at {@code now}. */
    void addUnfinished(Tally tally, long planEnd, long now) {
        long first = Math.max(number, schedule.firstCounted());
        long due = (schedule.isOpen() ? schedule.dueBefore(planEnd) : sent) - first;
        if (due > 0) {
            long inFlight = isOutstanding() ? Math.min(due, pending) : 0;
            tally.addUnfinished(inFlight, due - inFlight, now - schedule.dueNanos(first, freeNanos));
        }
    }

    /** Whether a request is due or a response is missing. */
    boolean isBusy() {
        return phase == Phase.WAITING || isOutstanding();
    }

    /** Gives up what is missing, so that a late response is not taken for that of a later request. */
    void abandon(long now) {
        if (isOutstanding()) {
            closeAndReconnectAt(now);
        } else if (phase == Phase.WAITING) {
            loop.dequeue(this);
            phase = Phase.IDLE;
        }
    }

    /** Sent by the present schedule. */
    long requests() {
        return sent;
    }

    Schedule schedule() {
        return schedule;
    }
}
