// SPDX-License-Identifier: Apache-2.0
package lsmlab.server;

import java.io.IOException;
import lsmlab.storage.ValueReader;
import one.nio.net.Session;
import one.nio.net.Socket;
import one.nio.net.SocketClosedException;
import one.nio.server.SelectorThread;

/**
 * A connection: one request at a time is read, handled and answered, and while its answer is on the way nothing more is read. So pipelined
 * requests are answered in order, and a client that does not read its answers waits without taking memory.
 *
 * <p>Everything here happens under the lock of the session: the selector holds it while it reads and writes, a worker while it answers.
 */
final class LsmSession extends Session {
    /** Of a body that was refused, at most so much is read, so that the client comes to read the refusal instead of a reset. */
    private static final long MAX_DISCARDED_BYTES = 256L << 20;
    private static final byte[] NOTHING = {};

    private final LsmServer owner;
    private final Request request = new Request(this);
    private final RequestReader reader;

    private final ValueReader<byte[]> valueReader = (source, at, length) -> Answer.value(request, source, at, length);

    private byte[] rest = NOTHING; // read from the socket and not taken yet
    private int restBytes;
    private volatile boolean handling; // the request is with a handler
    private boolean proceeding; // a frame further down goes on with the next request
    private long toDiscard = -1; // set once a request was refused: nothing is understood any more
    private volatile long begunMillis; // when the unfinished request began; 0: there is none

    LsmSession(Socket socket, LsmServer owner) {
        super(socket);
        this.owner = owner;
        reader = new RequestReader(request, owner.limits().maxBodyBytes());
    }

    LsmServer owner() {
        return owner;
    }

    private boolean isBusy() {
        return handling || queueHead != null;
    }

    @Override
    protected void processRead(byte[] buffer) throws IOException {
        if (isBusy()) {
            if (!closing) {
                listen(0); // answering takes it up again
            }
            return;
        }
        int length = restBytes;
        System.arraycopy(rest, 0, buffer, 0, length);
        restBytes = 0;
        try {
            length += read(buffer, length, buffer.length - length);
        } catch (SocketClosedException e) {
            close();
            return;
        }
        if (toDiscard >= 0) {
            discard(length);
            return;
        }
        keep(buffer, proceed(buffer, 0, length), length);
    }

    /** Handles the requests in {@code buffer[from, to)} until one of them is not answered at once; returns how far it came. */
    private int proceed(byte[] buffer, int from, int to) throws IOException {
        int at = from;
        proceeding = true;
        try {
            while (!closing && !isBusy() && toDiscard < 0) {
                boolean complete = reader.read(buffer, at, to);
                at = reader.position();
                if (!complete) {
                    awaitMore(at < to);
                    break;
                }
                begunMillis = 0;
                handling = true;
                owner.handle(request);
            }
        } catch (Refused e) {
            refuse(e, to - reader.position());
            return to;
        } finally {
            proceeding = false;
        }
        return at;
    }

    private void awaitMore(boolean lineBegun) throws IOException {
        if (begunMillis == 0 && (lineBegun || reader.isInside())) {
            begunMillis = System.currentTimeMillis();
        }
        if (reader.mustSayContinue()) {
            write(Answer.CONTINUE, 0, Answer.CONTINUE.length);
        }
    }

    private void keep(byte[] buffer, int from, int to) {
        restBytes = to - from;
        if (restBytes > rest.length) {
            rest = new byte[Math.max(restBytes, 256)];
        } else if (restBytes == 0) {
            rest = NOTHING;
        }
        System.arraycopy(buffer, from, rest, 0, restBytes);
    }

    /** Answers the request that is being handled. Nobody may use the request afterwards. */
    void answer(Answer answer) {
        request.keepAlive &= !owner.isStopping();
        send(answer.status, answer.bytes(request));
    }

    /** Makes the answer from a value where it lies; {@link #answerValue} sends it, when the store is no longer held. */
    ValueReader<byte[]> valueReader() {
        return valueReader;
    }

    void answerValue(byte[] made) {
        send(200, made);
    }

    private synchronized void send(int status, byte[] bytes) {
        send(status, new ArrayQueueItem(bytes, 0, bytes.length, 0));
    }

    /** Answers with what the item writes; its head says how the client finds the end. */
    synchronized void send(int status, QueueItem item) {
        if (!handling) {
            throw new IllegalStateException("a request was answered twice");
        }
        boolean goesOn = request.keepAlive && !owner.isStopping();
        owner.countAnswer(request, status);
        request.endEvent(status);
        request.letGo();
        try {
            write(item);
            handling = false;
            if (!goesOn) {
                scheduleClose();
            } else if (!isBusy()) {
                goOn();
            }
        } catch (IOException | RuntimeException | Error e) { // the client went away, or memory did: it must not wait for what won't come
            handling = false;
            item.release();
            handleException(e);
        }
    }

    /** The answer is gone. What has been read already is handled, then the socket is read again. */
    private void goOn() throws IOException {
        if (proceeding) {
            return;
        }
        if (restBytes > 0 && owner.isSync() && !(Thread.currentThread() instanceof SelectorThread)) {
            listen(WRITEABLE); // which it is: so the selector takes up what was read, and not the thread that brought another node's reply
            return;
        }
        if (restBytes > 0) {
            byte[] buffer = rest;
            int length = restBytes;
            rest = NOTHING;
            restBytes = 0;
            keep(buffer, proceed(buffer, 0, length), length);
        }
        if (!isBusy() && !closing) {
            listen(READABLE);
        }
    }

    @Override
    protected void processWrite() throws Exception {
        super.processWrite();
        if (!closing && !isBusy()) {
            goOn();
        }
    }

    /** The connection ends with the answer, at once or when the rest of the refused body was read. */
    private void refuse(Refused refused, int unread) throws IOException {
        long announced = reader.announced();
        toDiscard = refused.status == 413 ? Math.min(announced < 0 ? Long.MAX_VALUE : announced, MAX_DISCARDED_BYTES) : 0;
        begunMillis = System.currentTimeMillis();
        writeLast(Answer.of(refused));
        discard(unread);
    }

    /** What is said outside of any request that is handled. */
    private void writeLast(Answer answer) throws IOException {
        owner.countAnswer(answer.status);
        byte[] bytes = answer.lastBytes();
        write(bytes, 0, bytes.length);
    }

    private void discard(int length) {
        toDiscard = Math.max(0, toDiscard - length);
        if (toDiscard == 0) {
            scheduleClose();
        }
    }

    /** Whoever went away needs no word. */
    @Override
    public void handleException(Throwable e) {
        if (!(e instanceof IOException)) {
            Failures.report(e);
        }
        close();
    }

    /** Called now and then for each connection, without its lock; one that is not active is closed. */
    @Override
    public int checkStatus(long nowMillis, long ignored) {
        return status(nowMillis) == ACTIVE ? ACTIVE : endIfOverdue(nowMillis);
    }

    private int status(long nowMillis) {
        if (handling) {
            return ACTIVE; // queues and peers have time limits of their own
        }
        boolean slow = begunMillis != 0 && nowMillis - begunMillis > owner.limits().requestMillis();
        boolean idle = nowMillis - lastAccessTime() > owner.limits().idleMillis();
        return slow || idle && queueHead != null ? STALE : idle ? IDLE : ACTIVE;
    }

    /** Looks again under the lock: the rest of the request may just have come. */
    private synchronized int endIfOverdue(long nowMillis) {
        int status = status(nowMillis);
        if (status == STALE && begunMillis != 0 && toDiscard < 0) {
            tellTimeout();
        }
        if (status != ACTIVE) {
            close();
        }
        return status;
    }

    private void tellTimeout() {
        try {
            writeLast(Answer.text(408, "the request took too long to arrive"));
        } catch (IOException e) {
            handleException(e);
        }
    }

    /** Ends the connection if nothing of a request is there; returns whether it is ended. */
    synchronized boolean closeIfIdle() {
        if (!isBusy() && restBytes == 0 && !reader.isInside()) {
            close();
        }
        return !socket.isOpen();
    }
}
