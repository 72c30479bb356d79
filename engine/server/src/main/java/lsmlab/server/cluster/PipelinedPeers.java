// SPDX-License-Identifier: Apache-2.0
package lsmlab.server.cluster;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.LockSupport;
import lsmlab.server.session.Failures;

/**
 * Asks other nodes over a few connections that stay, with many requests on the way on each. One thread takes the replies of all of them. Reads and writes have connections of their own: a
 * write that waits for a flush there must not keep reads waiting.
 */
public final class PipelinedPeers implements Peers {
    /** To each node for reads, and as many for writes: beside a request that takes long, others go on. */
    private static final int CONNECTIONS = 4;
    /** To one node, those that were retired and wait for their last replies included. */
    public static final int MOST_CONNECTIONS = 4 * CONNECTIONS;
    private static final long PAUSE_NANOS = 1_000_000; // before the next turn, when one failed

    private final List<Way> ways;
    private final Selector selector;
    private final Deadlines deadlines;
    private volatile boolean closed;

    /** To one node. */
    private static final class Way {
        private final URI url;
        private final Semaphore room;
        private final PeerConnection[] forReads = new PeerConnection[CONNECTIONS]; // GUARDED BY this
        private final PeerConnection[] forWrites = new PeerConnection[CONNECTIONS]; // GUARDED BY this
        private boolean isLookingUp; // a thread looks the node's name up, for another connection. GUARDED BY this

        private Way(String url, int mostRequests) {
            this.url = URI.create(url);
            room = new Semaphore(mostRequests);
        }

        /** The one on which the fewest requests wait; a new one while on each some do. */
        private PeerConnection connection(boolean isRead, Selector selector) throws IOException {
            PeerConnection[] connections = isRead ? forReads : forWrites;
            synchronized (this) {
                PeerConnection best = leastBusy(connections);
                if (best != null && (isLookingUp || isEnough(best, connections))) {
                    return best;
                }
                isLookingUp = true;
            }
            try {
                InetSocketAddress address = address(); // without the lock, and once: others go on over the connections that are there
                synchronized (this) {
                    PeerConnection best = leastBusy(connections);
                    return isEnough(best, connections) ? best : (connections[free(connections)] = new PeerConnection(address, selector));
                }
            } catch (IOException | OutOfMemoryError e) { // no descriptor, or no memory: the request goes over one that is there
                synchronized (this) {
                    PeerConnection best = leastBusy(connections);
                    if (best == null) {
                        throw e;
                    }
                    return best;
                }
            } finally {
                synchronized (this) {
                    isLookingUp = false;
                }
            }
        }

        /** Null if none takes requests. */
        private static PeerConnection leastBusy(PeerConnection[] connections) {
            PeerConnection best = null;
            for (PeerConnection connection : connections) {
                if (connection != null && connection.takesRequests() && (best == null || connection.waiting() < best.waiting())) {
                    best = connection;
                }
            }
            return best;
        }

        private static boolean isEnough(PeerConnection best, PeerConnection[] connections) {
            return best != null && (best.waiting() == 0 || free(connections) < 0);
        }

        /** Where there is room for another; -1: nowhere. */
        private static int free(PeerConnection[] connections) {
            for (int i = 0; i < CONNECTIONS; i++) {
                if (connections[i] == null || !connections[i].takesRequests()) {
                    return i;
                }
            }
            return -1;
        }

        /** Looked up for each connection: by then the name may lead elsewhere. */
        private InetSocketAddress address() throws ConnectException {
            InetSocketAddress address = new InetSocketAddress(url.getHost(), url.getPort());
            if (address.isUnresolved()) {
                throw new ConnectException("no such host: " + url.getHost());
            }
            return address;
        }
    }

    /** @param mostRequests that may wait for the replies of one node */
    public PipelinedPeers(List<String> urls, Duration timeout, int mostRequests) throws IOException {
        ways = urls.stream().map(url -> new Way(url, mostRequests)).toList();
        selector = Selector.open();
        deadlines = new Deadlines(timeout, selector::wakeup); // to end connections whose requests were given up
        Thread.ofPlatform().daemon().name("peer-replies").start(this::run);
    }

    @Override
    public boolean blocks() {
        return false;
    }

    @Override
    public CompletableFuture<Reply> ask(int node, Question question) {
        Way way = ways.get(node);
        if (!way.room.tryAcquire()) {
            return CompletableFuture.failedFuture(new TooManyRequests());
        }
        PeerRequest request;
        try {
            request = new PeerRequest(node, way.url.getRawAuthority(), question);
            Deadlines.Wait wait = deadlines.begin(request.reply);
            request.reply.handle((reply, _) -> ended(request, wait, reply));
        } catch (RuntimeException | Error e) {
            way.room.release();
            throw e;
        }
        sendOrFail(request);
        return request.reply;
    }

    private Void ended(PeerRequest request, Deadlines.Wait wait, Reply reply) {
        ways.get(request.node).room.release();
        wait.done();
        PeerConnection connection = request.connection;
        if (reply == TIMED_OUT && connection != null) {
            connection.retire(); // what was asked on it before may still be answered; what is asked next should not wait behind it
        }
        return null;
    }

    private void sendOrFail(PeerRequest request) {
        try {
            while (!ways.get(request.node).connection(request.isRead, selector).send(request)) {
                // it has just been ended
            }
        } catch (IOException | RuntimeException | Error e) {
            request.reply.completeExceptionally(e);
        }
    }

    private void run() {
        while (!closed) {
            try {
                selector.select(this::ready);
                for (SelectionKey key : selector.keys()) {
                    PeerConnection connection = (PeerConnection) key.attachment();
                    Throwable why = connection.whyOver();
                    if (why != null) {
                        end(connection, why);
                    }
                }
            } catch (IOException | RuntimeException | Error e) { // memory is short, or descriptors: the connections go on
                Failures.report(e);
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
        selector.keys().forEach(key -> end((PeerConnection) key.attachment(), new ClosedChannelException()));
        try {
            selector.close();
        } catch (IOException e) {
            Failures.report(e);
        }
    }

    private void ready(SelectionKey key) {
        PeerConnection connection = (PeerConnection) key.attachment();
        try {
            connection.ready();
        } catch (IOException | RuntimeException | Error e) {
            connection.broke(e); // and is ended below, again and again while there is no memory for that
        }
    }

    /** What it was asked is asked again: the node may have ended it because it was idle, or to make room. */
    private void end(PeerConnection connection, Throwable why) {
        connection.end(request -> {
            if (why instanceof IOException && !(why instanceof ConnectException) && !closed && request.mayBeSentAgain()) {
                sendOrFail(request);
            } else {
                request.reply.completeExceptionally(why);
            }
        });
    }

    @Override
    public void close() {
        closed = true;
        deadlines.close();
        selector.wakeup();
    }
}
