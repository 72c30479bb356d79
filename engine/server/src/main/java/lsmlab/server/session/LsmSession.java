// SPDX-License-Identifier: Apache-2.0
package lsmlab.server.session;

import java.io.IOException;
import lsmlab.server.trace.RequestTrace;
import lsmlab.server.wire.Answer;
import lsmlab.server.wire.MemoryBudget;
import lsmlab.server.wire.Refused;
import lsmlab.server.wire.Request;
import lsmlab.server.wire.RequestReader;
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
public final class LsmSession extends Session implements Exchange {
    /** At most this much of a refused body is read and dropped. Otherwise the client would see a reset instead of the refusal. */
    private static final long MAX_DISCARDED_BYTES = 256L << 20;

    private final SessionOwner owner;
    private final Request request;
    private final RequestReader reader;
    private final Handling handling;
    private final Unread unread;
    private volatile boolean withHandler; // the request is with a handler
    private boolean proceeding; // a frame further down goes on with the next request
    private long toDiscard = -1; // set once a request was refused: nothing is understood any more
    private final Patience patience;
    private final RequestTrace trace; // null: not traced
    /** Whether it is one of the connections beyond the limit, which are for some requests only. */
    public final boolean reserved;

    public LsmSession(Socket socket, SessionOwner owner, boolean reserved) {
        super(socket);
        this.owner = owner;
        this.reserved = reserved;
        unread = new Unread(owner.memory());
        request = new Request(owner.memory());
        handling = new Handling(request, this, owner);
        patience = new Patience(owner.limits());
        trace = owner.requests() == null ? null : owner.requests().connected(socket.getRemoteAddress());
        reader = new RequestReader(request, Math.toIntExact(owner.limits().maxBodyBytes()));
    }

    private boolean isBusy() {
        return withHandler || queueHead != null;
    }

    @Override
    protected void processRead(byte[] buffer) throws IOException {
        if (isBusy()) {
            if (!closing) {
                listen(queueHead == null ? 0 : WRITEABLE); // answering takes it up again; this event may be older than what is queued
            }
            return;
        }
        int length = unread.length();
        RequestTrace.readable(trace, length == 0 && !reader.isInside());
        unread.moveTo(buffer);
        try {
            length += read(buffer, length, buffer.length - length);
        } catch (SocketClosedException e) {
            endOfInput(buffer, length);
            return;
        }
        patience.touched();
        if (toDiscard >= 0) {
            discard(length);
            return;
        }
        keep(buffer, proceed(buffer, 0, length), length);
    }

    /** A client that sends no more may still wait for the answers to what it has sent. */
    private void endOfInput(byte[] buffer, int length) throws IOException {
        if (toDiscard < 0 && length > 0) {
            keep(buffer, proceed(buffer, 0, length), length);
        }
        if (!isBusy()) {
            close();
        }
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
                    if (reserved && reader.isPastHead()) {
                        owner.checkReserved(request);
                    }
                    awaitMore(at < to);
                    break;
                }
                patience.requestIsThere();
                withHandler = true;
                handle();
            }
        } catch (Refused e) {
            refuse(e, reader.announced(buffer, to), to - reader.position());
            return to;
        } finally {
            proceeding = false;
        }
        return at;
    }

    private void handle() {
        try {
            owner.handle(handling);
        } catch (RuntimeException | Error e) { // out of memory or threads: no handler will answer the request
            withHandler = false;
            throw e;
        }
    }

    private void awaitMore(boolean lineBegun) throws IOException {
        if (lineBegun || reader.isInside()) {
            patience.requestBegins();
        }
        if (reader.mustSayContinue()) {
            write(Answer.CONTINUE, 0, Answer.CONTINUE.length);
        }
    }

    /** Keeps bytes until more arrive, or until the request before them is answered. */
    private void keep(byte[] buffer, int from, int to) throws IOException {
        if (from == to || !socket.isOpen()) { // closed: the answer to an earlier request was the last one
            unread.forget();
            return;
        }
        try {
            unread.keep(buffer, from, to);
        } catch (Refused e) {
            giveUp(e);
        }
    }

    /** For lack of memory for what the client has sent. */
    private void giveUp(Refused because) throws IOException {
        unread.forget();
        if (isBusy()) {
            close(); // a refusal can't be sent before the answer in progress
        } else {
            refuse(because, RequestReader.UNKNOWN, 0);
        }
    }

    @Override
    public void answer(Answer answer) {
        request.keepAlive &= !owner.isStopping();
        try {
            send(answer.status, answer.length() <= MemoryBudget.LARGE_BYTES ? item(answer.bytes(request)) : LargeAnswer.of(answer, request)); // large: for another node
        } catch (Refused e) { // it is not counted, so nothing was sent
            send(e.status, item(Answer.of(e).bytes(request)));
        }
    }

    @Override
    public RequestTrace trace() {
        return trace;
    }

    @Override
    public void answerValue(byte[] made) {
        send(200, made.length <= MemoryBudget.LARGE_BYTES ? item(made) : LargeAnswer.counted(made, owner.memory()));
    }

    private static QueueItem item(byte[] bytes) {
        return new ArrayQueueItem(bytes, 0, bytes.length, 0);
    }

    /** Answers with what the item writes; its head says how the client finds the end. */
    public synchronized void send(int status, QueueItem item) {
        if (!withHandler) {
            item.release();
            throw new IllegalStateException("a request was answered twice");
        }
        boolean goesOn = request.keepAlive && !owner.isStopping();
        try {
            handling.end(status);
            owner.countAnswer(handling, status);
            request.letGo(socket.isOpen());
            patience.touched();
            RequestTrace.answers(trace, request.method.ordinal(), status, handling.endedNanos());
            write(item);
            RequestTrace.written(trace, queueHead == null);
        } catch (IOException | RuntimeException | Error e) { // the client went away, or memory did: it must not wait for what won't come
            withHandler = false;
            item.release();
            handleException(e);
            return;
        }
        withHandler = false;
        try {
            if (!goesOn) {
                scheduleClose();
            } else if (!isBusy()) {
                goOn();
            }
        } catch (IOException | RuntimeException | Error e) { // the next request may be with its handler by now
            handleException(e);
        }
    }

    /** The answer is gone. What has been read already is handled, then the socket is read again. */
    private void goOn() throws IOException {
        if (proceeding) {
            return;
        }
        if (unread.length() > 0 && owner.isSync() && !(Thread.currentThread() instanceof SelectorThread)) {
            listen(WRITEABLE); // which it is: so the selector takes up what was read, and not the thread that brought another node's reply
            return;
        }
        if (unread.length() > 0) {
            int length = unread.length();
            byte[] buffer = unread.take();
            keep(buffer, proceed(buffer, 0, length), length);
        }
        if (!isBusy() && !closing) {
            listen(READABLE);
        }
    }

    @Override
    protected void processWrite() throws Exception {
        super.processWrite();
        patience.touched();
        RequestTrace.written(trace, queueHead == null);
        if (!closing && !isBusy()) {
            goOn();
        }
    }

    /** The connection ends with the answer, at once or when the rest of what was refused has been read, or does not come. */
    private void refuse(Refused refused, long announced, int toBeRead) throws IOException {
        toDiscard = Math.min(announced == RequestReader.UNKNOWN ? Long.MAX_VALUE : announced, MAX_DISCARDED_BYTES);
        patience.refusalBegins();
        request.release();
        writeLast(Answer.of(refused));
        discard(toBeRead);
    }

    /** What is said outside of any request that is handled. */
    private void writeLast(Answer answer) throws IOException {
        owner.countAnswer(answer.status);
        boolean toHead = reader.isInside() && request.method == Request.Method.HEAD;
        byte[] bytes = toHead ? answer.lastHead() : answer.lastBytes();
        write(bytes, 0, bytes.length);
    }

    private void discard(int length) {
        toDiscard = Math.max(0, toDiscard - length);
        if (toDiscard == 0) {
            scheduleClose();
        }
    }

    @Override
    public synchronized void giveUp(Throwable because) {
        withHandler = false;
        handleException(because);
    }

    /** A client that went away is not worth a report. */
    @Override
    public void handleException(Throwable e) {
        try {
            if (!(e instanceof IOException)) {
                Failures.report(e);
            }
        } finally {
            close();
        }
    }

    /** Called now and then for each connection, without its lock; one that is not active is closed. */
    @Override
    public int checkStatus(long systemMillis, long ignored) {
        return status() == ACTIVE ? ACTIVE : endIfOverdue();
    }

    private int status() {
        if (withHandler) {
            return ACTIVE; // queues and peers have time limits of their own
        }
        if (toDiscard >= 0) {
            return patience.isOverWithRefused() ? STALE : ACTIVE;
        }
        boolean idle = patience.isOverWithIdle();
        return patience.isOverWithRequest() || idle && queueHead != null ? STALE : idle ? IDLE : ACTIVE;
    }

    /** Looks again under the lock: the rest of the request may just have come. */
    private synchronized int endIfOverdue() {
        int status = status();
        try {
            if (status == STALE && patience.isRequestUnfinished() && toDiscard < 0) {
                writeLast(Answer.text(408, "the request took too long to arrive"));
            }
            if (status != ACTIVE) {
                close();
            }
        } catch (IOException e) {
            handleException(e);
        }
        return status;
    }

    /** Ends the connection if nothing of a request is there; returns whether it is ended. */
    public synchronized boolean closeIfIdle() {
        if (!isBusy() && unread.length() == 0 && !reader.isInside()) {
            close();
        }
        return !socket.isOpen();
    }

    /** Without its lock, so it may just have changed. */
    public boolean seemsIdle() {
        return !isBusy() && !patience.isRequestUnfinished();
    }

    /** When something was last read or written, in milliseconds of a clock that is never set. */
    public long touchedMillis() {
        return patience.touchedMillis();
    }

    @Override
    public synchronized void close() {
        try {
            super.close();
        } finally {
            unread.forget();
            if (!withHandler) { // else a worker still has the body
                request.release();
            }
        }
    }
}
