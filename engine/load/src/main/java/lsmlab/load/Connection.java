// SPDX-License-Identifier: Apache-2.0
package lsmlab.load;

import java.io.IOException;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;

/**
 * One connection and its own schedule: request k (k = responses so far) is due at {@code firstDue + k x interval}, however late the
 * ones before it were. After a stall it sends back to back until it is on schedule again, so the total is conserved.
 *
 * <p>One request, or one script's pipelined batch, is in flight at a time. All times are {@link System#nanoTime}. Used by its
 * worker's thread only.
 */
final class Connection {
    /** A connection that was of no use is tried again after this long: without a pause it would burn the core the server needs. */
    private static final long RECONNECT_NANOS = 10_000_000;

    enum Phase {
        CLOSED, CONNECTING, WAITING, SENDING, RECEIVING
    }

    private final Worker worker;
    private final SocketAddress address;
    private final double intervalNanos;
    private final long firstDueNanos;
    private final ResponseParser parser;

    private SocketChannel channel;
    private SelectionKey key;
    private ByteBuffer out;
    private Phase phase = Phase.CLOSED;

    /** When the worker shall call {@link #onTime}: to connect, or to send. */
    long dueNanos;

    private long completed;
    private long freeNanos;
    private long intendedNanos;
    private long sentNanos;
    private int pending;
    private boolean timedOut;
    private boolean answeredSinceConnect;

    Connection(Worker worker, SocketAddress address, double intervalNanos, boolean keepResponses, long connectAtNanos) {
        this.worker = worker;
        this.address = address;
        this.intervalNanos = intervalNanos;
        this.parser = new ResponseParser(keepResponses);
        this.firstDueNanos = connectAtNanos;
        this.dueNanos = connectAtNanos;
    }

    void onTime(long now) {
        switch (phase) {
            case CLOSED -> connect(now);
            case WAITING -> send();
            default -> throw new IllegalStateException(phase.name());
        }
    }

    private void connect(long now) {
        answeredSinceConnect = false;
        try {
            channel = SocketChannel.open();
            channel.configureBlocking(false);
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            phase = Phase.CONNECTING;
            boolean connected = channel.connect(address);
            key = channel.register(worker.selector(), connected ? SelectionKey.OP_READ : SelectionKey.OP_CONNECT, this);
            if (connected) {
                nextRequest(now);
            }
        } catch (IOException e) {
            connectFailed(now);
        }
    }

    private void connectFailed(long now) {
        worker.connectErrors++;
        closeAndReconnectAt(now + RECONNECT_NANOS);
    }

    void onReady(long now) {
        try {
            if (phase == Phase.CONNECTING && key.isConnectable()) {
                finishConnect(now);
            } else {
                if (phase == Phase.SENDING && key.isWritable()) {
                    write(now);
                }
                if (key.isValid() && key.isReadable()) {
                    read();
                }
            }
        } catch (IOException e) {
            failed(now);
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
        nextRequest(now);
    }

    private void nextRequest(long now) {
        freeNanos = now;
        intendedNanos = firstDueNanos + (long) (completed * intervalNanos);
        phase = Phase.WAITING;
        if (intendedNanos <= now) {
            send();
        } else {
            dueNanos = intendedNanos;
            worker.callOnTime(this);
        }
    }

    private void send() {
        out = worker.nextRequest(out);
        pending = worker.pipelineDepth();
        sentNanos = System.nanoTime(); // making the request took time, and it is the generator's
        timedOut = false;
        phase = Phase.SENDING;
        worker.sent(sentNanos - Math.max(intendedNanos, freeNanos));
        write(sentNanos);
    }

    private void write(long now) {
        try {
            channel.write(out);
        } catch (IOException e) {
            worker.writeErrors++;
            closeAndReconnectAt(now);
            return;
        }
        boolean all = !out.hasRemaining();
        key.interestOps(all ? SelectionKey.OP_READ : SelectionKey.OP_READ | SelectionKey.OP_WRITE);
        if (all) {
            phase = Phase.RECEIVING;
        }
    }

    private void read() throws IOException {
        ByteBuffer in = worker.readBuffer();
        int count = channel.read(in.clear());
        long now = System.nanoTime();
        if (count < 0) {
            if (parser.endOfStream()) {
                complete(now);
            } else {
                failed(now);
            }
            return;
        }
        worker.readBytes += count;
        in.flip();
        while (in.hasRemaining() && isOutstanding() && parser.parse(in)) {
            complete(now);
        }
        if (in.hasRemaining()) {
            throw new IOException("bytes that belong to no request");
        }
    }

    private void complete(long now) {
        checkTimeout(now);
        answeredSinceConnect = true;
        pending--;
        completed++;
        worker.completed(parser, intendedNanos, sentNanos, now, pending == 0);
        if (parser.closes() || pending == 0 && phase == Phase.SENDING) {
            // In the second case the server answered a request that it has not seen the end of: it can't be trusted with the next.
            closeAndReconnectAt(now);
        } else if (pending == 0) {
            nextRequest(now);
        }
    }

    /** The server closed, reset, or answered what is not HTTP. An idle connection that ends is no error: nothing was asked of it. */
    private void failed(long now) {
        if (isOutstanding()) {
            worker.readErrors++;
        }
        closeAndReconnectAt(answeredSinceConnect ? now : now + RECONNECT_NANOS);
    }

    private void closeAndReconnectAt(long when) {
        worker.dequeue(this);
        close();
        parser.reset();
        pending = 0;
        phase = Phase.CLOSED;
        dueNanos = when;
        worker.callOnTime(this);
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
        if (!timedOut && isOutstanding() && now - sentNanos > worker.timeoutNanos()) {
            timedOut = true;
            worker.timeouts++;
        }
    }

    /** Adds what was due before {@code planEnd} and has no response at {@code now}. */
    void addUnfinished(Backlog backlog, long planEnd, long now) {
        long due = planned(planEnd) - completed;
        if (due > 0) {
            long inFlight = isOutstanding() ? Math.min(due, pending) : 0;
            backlog.add(inFlight, due - inFlight, now - firstDueNanos - (long) (completed * intervalNanos));
        }
    }

    /** Requests whose intended start lies before {@code end}. */
    long planned(long end) {
        return end <= firstDueNanos ? 0 : (long) Math.ceil((end - firstDueNanos) / intervalNanos);
    }

    /** Sums up what connections left unfinished. */
    static final class Backlog {
        long inFlight;
        long unsent;
        long oldestNanos;

        void add(long inFlight, long unsent, long waitedNanos) {
            this.inFlight += inFlight;
            this.unsent += unsent;
            oldestNanos = Math.max(oldestNanos, waitedNanos);
        }
    }
}
