// SPDX-License-Identifier: Apache-2.0
package lsmlab.server;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;

/** Through the JDK's client: asynchronously, or one request at a time behind a lock, as report 004 first did. */
final class JdkPeers implements Peers {
    private final List<String> urls;
    private final Duration timeout;
    private final HttpClient client;
    private final ReentrantLock oneAtATime; // null: asynchronous

    JdkPeers(List<String> urls, Duration timeout, boolean locked) {
        this.urls = urls;
        this.timeout = timeout;
        client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(timeout).build();
        oneAtATime = locked ? new ReentrantLock() : null;
    }

    @Override
    public boolean blocks() {
        return oneAtATime != null;
    }

    @Override
    public CompletableFuture<Reply> ask(int node, Question question) {
        HttpRequest request = HttpRequest.newBuilder(URI.create(urls.get(node) + question.path()))
                .method(question.method().name(), question.body() == null ? BodyPublishers.noBody() : BodyPublishers.ofByteArray(question.body()))
                .header(REPLICA_HEADER, Long.toString(question.version()))
                .timeout(timeout).build();
        return oneAtATime == null ? client.sendAsync(request, BodyHandlers.ofByteArray()).thenApply(JdkPeers::reply) : wait(request);
    }

    private CompletableFuture<Reply> wait(HttpRequest request) {
        oneAtATime.lock();
        try {
            return CompletableFuture.completedFuture(reply(client.send(request, BodyHandlers.ofByteArray())));
        } catch (IOException e) {
            return CompletableFuture.failedFuture(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return CompletableFuture.failedFuture(e);
        } finally {
            oneAtATime.unlock();
        }
    }

    private static Reply reply(HttpResponse<byte[]> response) {
        return new Reply(response.statusCode(), response.headers().firstValueAsLong(Answer.VERSION_HEADER).orElse(0), response.body());
    }

    @Override
    public void close() {
        client.shutdownNow();
    }
}
