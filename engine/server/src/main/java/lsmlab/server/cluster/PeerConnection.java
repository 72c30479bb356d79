// SPDX-License-Identifier: Apache-2.0
package lsmlab.server.cluster;

import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.ProtocolException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.function.Consumer;
import lsmlab.server.cluster.Peers.Reply;
import lsmlab.server.wire.ReplyReader;

/**
 * A connection to another node. Requests go out as they come, replies come back in the same order. The thread that asks writes, together with what others have asked meanwhile; the thread of
 * the selector connects, reads, and ends it.
 */
final class PeerConnection {
    private static final int BUFFER_BYTES = 32 << 10; // a line of a reply's head is shorter by far

    private final SocketChannel channel;
    private final SelectionKey key;
    private final ByteBuffer output = ByteBuffer.allocate(BUFFER_BYTES).flip(); // of the thread that sends
    private final ByteBuffer input = ByteBuffer.allocate(BUFFER_BYTES); // of the selector's thread
    private final ReplyReader reader = new ReplyReader();
    private PeerRequest oldest; // the first that has no reply yet; GUARDED BY this, like the next four
    private PeerRequest newest;
    private PeerRequest unsent; // the first that is not sent completely
    private int waiting; // without a reply
    private boolean isSending = true; // a thread does, or the selector's will when the socket is ready for it
    private volatile boolean isRetired; // a reply did not come in time, or nothing can be written: it takes no more requests
    private volatile Throwable broken; // null: it is not

    /** Begins to connect. */
    PeerConnection(InetSocketAddress node, Selector selector) throws IOException {
        channel = SocketChannel.open();
        try {
            channel.configureBlocking(false);
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            key = channel.register(selector, 0, this);
            if (channel.connect(node)) {
                connected();
            } else {
                key.interestOps(SelectionKey.OP_CONNECT);
                selector.wakeup();
            }
        } catch (IOException | RuntimeException | Error e) {
            channel.close();
            selector.wakeup(); // it gives back the descriptor
            throw e;
        }
    }

    private void connected() {
        key.interestOps(SelectionKey.OP_READ);
        key.selector().wakeup();
        sendOn();
    }

    /** Requests without a reply; without a lock, so it may just have changed. */
    int waiting() {
        return waiting;
    }

    boolean takesRequests() {
        return !isRetired;
    }

    /** It ends when its last request has its reply, or has been given up. */
    void retire() {
        isRetired = true;
    }

    /** Returns false if it takes no more requests. */
    boolean send(PeerRequest request) {
        synchronized (this) {
            if (isRetired) {
                return false;
            }
            if (oldest == null) {
                oldest = request;
            } else {
                newest.next = request;
            }
            newest = request;
            unsent = unsent == null ? request : unsent;
            waiting++;
            request.connection = this;
            if (isSending) {
                return true;
            }
            isSending = true;
        }
        sendOn();
        return true;
    }

    /** Writes until nothing is left or the socket is full. REQUIRES: it is this thread's turn to send ({@code isSending}). Nothing is ended here: the caller may hold locks that replies need. */
    private void sendOn() {
        try {
            while (output.hasRemaining() || takeOutput()) {
                channel.write(output);
                if (output.hasRemaining()) {
                    key.interestOps(SelectionKey.OP_READ | SelectionKey.OP_WRITE);
                    key.selector().wakeup();
                    return;
                }
            }
        } catch (IOException | RuntimeException | Error e) {
            broke(e);
            key.selector().wakeup();
        }
    }

    /** Returns whether there is something to write; if not, this thread sends no longer. */
    private synchronized boolean takeOutput() {
        output.clear();
        while (unsent != null && unsent.moveTo(output)) {
            unsent = unsent.next;
        }
        isSending = output.flip().hasRemaining();
        return isSending;
    }

    /** The socket is ready for something. REQUIRES the selector's thread, like all that follow. */
    void ready() throws IOException {
        if (broken != null) {
            return;
        }
        if (key.isConnectable()) {
            finishConnect();
            return;
        }
        if (key.isWritable()) {
            key.interestOps(SelectionKey.OP_READ);
            sendOn();
        }
        if (key.isReadable()) {
            receive();
        }
    }

    private void finishConnect() throws ConnectException {
        try {
            channel.finishConnect();
        } catch (IOException e) {
            throw (ConnectException) new ConnectException(e.getMessage()).initCause(e);
        }
        connected();
    }

    private void receive() throws IOException {
        if (channel.read(input) < 0) {
            throw new EOFException("the node ended the connection");
        }
        byte[] bytes = input.array();
        int at = 0;
        while (reader.read(bytes, at, input.position())) {
            at = reader.position();
            answered().reply.complete(new Reply(reader.status(), reader.version(), reader.body()));
            if (reader.isLast()) {
                throw new EOFException("the node ends the connection");
            }
        }
        input.flip().position(reader.position());
        input.compact();
        if (!input.hasRemaining()) {
            throw new ProtocolException("a line of a reply is longer than " + BUFFER_BYTES + " bytes");
        }
    }

    private synchronized PeerRequest answered() throws ProtocolException {
        while (oldest != null && oldest != unsent && oldest.isSkipped()) {
            removeOldest();
        }
        if (oldest == null || oldest == unsent && !(oldest.isBegun() && reader.isLast())) { // a refusal may come before all is sent
            throw new ProtocolException("a reply that nothing was asked for");
        }
        return removeOldest();
    }

    private PeerRequest removeOldest() {
        PeerRequest first = oldest;
        oldest = first.next;
        first.next = null; // or the collector would keep what follows as long as this
        newest = oldest == null ? null : newest;
        waiting--;
        return first;
    }

    /** Nothing is read from it or written to it any more, and it is ended soon. Allocates nothing. */
    void broke(Throwable why) {
        broken = why;
        isRetired = true;
    }

    /** Why it must be ended; null: it need not be. */
    Throwable whyOver() {
        return broken != null ? broken : isRetired && isGivenUp() ? new EOFException("it was retired, and nothing waits for it any more") : null;
    }

    private synchronized boolean isGivenUp() {
        PeerRequest request = oldest;
        while (request != null && request.reply.isDone()) {
            request = request.next;
        }
        return request == null;
    }

    /** Closes it. The requests that have no reply are the caller's then, in their order. */
    void end(Consumer<PeerRequest> withoutReply) {
        PeerRequest request;
        synchronized (this) {
            isRetired = true;
            request = oldest;
            oldest = null;
            newest = null;
            unsent = null;
        }
        try {
            key.cancel();
            channel.close();
        } catch (IOException e) {
            // it is gone
        }
        while (request != null) {
            PeerRequest following = request.next;
            withoutReply.accept(request);
            request = following;
        }
    }
}
