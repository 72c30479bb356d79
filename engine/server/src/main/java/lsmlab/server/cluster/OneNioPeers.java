// SPDX-License-Identifier: Apache-2.0
package lsmlab.server.cluster;

import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import lsmlab.server.wire.Answer;
import one.nio.http.HttpClient;
import one.nio.http.HttpException;
import one.nio.http.Request;
import one.nio.http.Response;
import one.nio.net.ConnectionString;
import one.nio.pool.PoolException;

/** Asks other nodes through one-nio's client, with a pool of connections to each. The worker waits for the reply. */
public final class OneNioPeers implements Peers {
    private final List<HttpClient> clients;

    /** @param connections to each node, at most: as many as threads that may ask at the same time */
    public OneNioPeers(List<String> urls, Duration timeout, int connections) {
        clients = urls.stream().map(URI::create).map(url -> new HttpClient(new ConnectionString("http://%s:%d?timeout=%d&connectTimeout=%d&clientMaxPoolSize=%d"
                .formatted(url.getHost(), url.getPort(), timeout.toMillis(), timeout.toMillis(), connections)))).toList();
    }

    @Override
    public boolean blocks() {
        return true;
    }

    @Override
    public CompletableFuture<Reply> ask(int node, Question question) {
        HttpClient client = clients.get(node);
        String[] headers = {REPLICA_HEADER + ": " + question.version()};
        try {
            return CompletableFuture.completedFuture(reply(switch (question.method()) {
                case PUT -> client.put(question.path(), question.body(), headers);
                case DELETE -> client.delete(question.path(), headers);
                default -> client.invoke(client.createRequest(Request.METHOD_GET, question.path(), headers));
            }));
        } catch (IOException | HttpException | PoolException e) {
            return CompletableFuture.failedFuture(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return CompletableFuture.failedFuture(e);
        }
    }

    private static Reply reply(Response response) {
        String version = response.getHeader(Answer.VERSION_HEADER + ":");
        return new Reply(response.getStatus(), version == null ? 0 : Long.parseLong(version), response.getBody());
    }

    @Override
    public void close() {
        clients.forEach(HttpClient::close);
    }
}
