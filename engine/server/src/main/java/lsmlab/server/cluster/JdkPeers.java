// SPDX-License-Identifier: Apache-2.0
package lsmlab.server.cluster;

import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodySubscribers;
import java.net.http.HttpResponse.ResponseInfo;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.ReentrantLock;
import lsmlab.server.wire.Answer;

/** Asks other nodes through the JDK's client: asynchronously, or one request at a time behind a lock, as report 004 first did. */
public final class JdkPeers implements Peers {
    private static final int MOST_BROKEN = 64;

    private final List<String> urls;
    private final Duration timeout;
    private final Deadlines deadlines;
    private final Queue<Replaced> replaced = new ConcurrentLinkedQueue<>();
    private volatile HttpClient client;
    private int broken; // GUARDED BY this; replies that this client could not read to their end
    private boolean closed; // GUARDED BY this
    private final ReentrantLock oneAtATime; // null: asynchronous
    private final List<Semaphore> room;

    /** A client that another one has taken the place of, at this time of {@link System#nanoTime}. */
    private record Replaced(HttpClient client, long nanos) {}

    /** @param mostRequests that may wait for the answer of one node; each of them takes a connection */
    public JdkPeers(List<String> urls, Duration timeout, boolean locked, int mostRequests) {
        this.urls = urls;
        room = urls.stream().map(_ -> new Semaphore(mostRequests)).toList();
        this.timeout = timeout;
        deadlines = new Deadlines(timeout, this::endReplaced);
        client = newClient();
        oneAtATime = locked ? new ReentrantLock() : null;
    }

    private HttpClient newClient() {
        // WHY no pool: handing a reply from the client's selector to another thread costs more than what is done with it.
        return HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(timeout).executor(Runnable::run).build();
    }

    /** Returns a working client. The JDK's client shuts itself down when it runs out of memory, and is then replaced. */
    private HttpClient client() {
        HttpClient now = client;
        if (!now.isTerminated()) {
            return now;
        }
        synchronized (this) {
            if (client.isTerminated() && !closed) {
                client = newClient();
            }
            return client;
        }
    }

    /**
     * After a while another client takes its place. WHY: a connection whose reply the JDK's client can't read stays open until the client ends
     * (JDK 25), so a node that answers anything but HTTP would take all descriptors.
     */
    private void countBroken(HttpClient through) {
        synchronized (this) {
            if (through != client || closed || ++broken < MOST_BROKEN) {
                return;
            }
            broken = 0;
            try {
                client = newClient();
            } catch (UncheckedIOException | OutOfMemoryError e) { // no descriptor: the next request makes a client, when this one has given back its own
                through.shutdownNow();
                return;
            }
        }
        replaced.add(new Replaced(through, System.nanoTime()));
    }

    /** Ends clients that were replaced, when their last requests are over. */
    private void endReplaced() {
        for (Replaced first = replaced.peek(); first != null && System.nanoTime() - first.nanos() > 2 * timeout.toNanos(); first = replaced.peek()) {
            replaced.poll();
            try {
                first.client().shutdownNow();
            } catch (RuntimeException | Error e) {
                // without memory it stays, with its connections, until the process ends
            }
        }
    }

    @Override
    public boolean blocks() {
        return oneAtATime != null;
    }

    @Override
    public CompletableFuture<Reply> ask(int node, Question question) {
        HttpRequest request = HttpRequest.newBuilder(URI.create(urls.get(node) + question.path()))
                .method(question.method().name(), question.body() == null ? BodyPublishers.noBody() : BodyPublishers.ofByteArray(question.body()))
                .header(REPLICA_HEADER, Long.toString(question.version())).build();
        if (!room.get(node).tryAcquire()) {
            return CompletableFuture.failedFuture(new TooManyRequests());
        }
        try {
            CompletableFuture<Reply> reply = oneAtATime == null ? send(request) : sendAndWait(request);
            reply.handle((_, _) -> giveBack(node));
            return reply;
        } catch (RuntimeException | Error e) {
            giveBack(node);
            throw e;
        }
    }

    private Void giveBack(int node) {
        room.get(node).release();
        return null;
    }

    /**
     * The reply is taken where its body ends: the client's own future would bring it by way of the common pool. WHY no time limit of the
     * request's own: it ends with the reply's head, and this one is for the whole.
     */
    private CompletableFuture<Reply> send(HttpRequest request) {
        CompletableFuture<Reply> reply = new CompletableFuture<>();
        HttpClient through = client();
        Deadlines.Wait wait = deadlines.begin(reply);
        CompletableFuture<HttpResponse<Boolean>> exchange = through.sendAsync(request,
                head -> BodySubscribers.mapping(BodySubscribers.ofByteArray(), body -> reply.complete(reply(head, body))));
        exchange.whenComplete((response, failure) -> {
            if (failure != null) {
                reply.completeExceptionally(failure);
            }
        });
        reply.handle((came, failure) -> {
            wait.done();
            if (came == TIMED_OUT) {
                exchange.cancel(true);
            }
            if (failure != null && Quorum.Failure.of(failure) == Quorum.Failure.CONNECTION) {
                countBroken(through);
            }
            return null;
        });
        return reply;
    }

    private CompletableFuture<Reply> sendAndWait(HttpRequest request) {
        oneAtATime.lock();
        try {
            return CompletableFuture.completedFuture(send(request).get());
        } catch (ExecutionException e) {
            return CompletableFuture.failedFuture(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return CompletableFuture.failedFuture(e);
        } finally {
            oneAtATime.unlock();
        }
    }

    private static Reply reply(ResponseInfo head, byte[] body) {
        return new Reply(head.statusCode(), head.headers().firstValueAsLong(Answer.VERSION_HEADER).orElse(0), body);
    }

    @Override
    public synchronized void close() {
        closed = true;
        deadlines.close();
        replaced.forEach(old -> old.client().shutdownNow());
        client.shutdownNow();
    }
}
