// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.process;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import lsmlab.lab.environment.Given;
import lsmlab.lab.environment.Text;
import lsmlab.storage.PageCache;

/** A server process on loopback, with a store of its own inside the project that is removed when the server stops; or a facade before a {@link Cassandra}. */
public final class Server implements AutoCloseable {
    private final ServerProcess process;

    Server(ServerProcess process) {
        this.process = process;
    }

    ServerProcess process() {
        return process;
    }

    /** Sends one PUT; shows status and body. */
    public String put(String id, String value) {
        Given.some("put", "a value", value);
        return shown(process.send(HttpRequest.newBuilder(entity(id)).PUT(BodyPublishers.ofString(value)).build()));
    }

    /** Sends one GET; shows status and body. */
    public String get(String id) {
        return shown(process.send(HttpRequest.newBuilder(entity(id)).build()));
    }

    /** Sends one DELETE; shows status and body. */
    public String delete(String id) {
        return shown(process.send(HttpRequest.newBuilder(entity(id)).DELETE().build()));
    }

    private URI entity(String id) {
        Given.some("put, get and delete", "an id", id);
        return process.uri("/v0/entity?id=" + URLEncoder.encode(id, StandardCharsets.UTF_8));
    }

    private static String shown(HttpResponse<String> response) {
        return (response.statusCode() + " " + response.body()).strip();
    }

    /** What /v0/stats reports now: options, engine, http, jvm. Of a counter: {@code server.stats().at("/engine/gets").asLong()}. */
    public JsonNode stats() {
        return process.stats();
    }

    /** Bytes that the store takes over bytes of the newest keys and values in it: 1 if nothing old were left. Reads the whole store. */
    public double spaceAmplification() {
        JsonNode space = ownStore("spaceAmplification").stats("?space=1").get("space");
        return space.get("totalBytes").asDouble() / space.get("liveBytes").asDouble();
    }

    /** One line: entries in memory, frozen memtables, tables. */
    public String shape() {
        return ownStore("shape").shape();
    }

    private ServerProcess ownStore(String what) {
        if (!process.hasStore()) {
            throw new UnsupportedOperationException("%s() is for a server with a store of the lab's own, and this one stands before Cassandra".formatted(what));
        }
        return process;
    }

    /**
     * Replaces what the store holds by the records that a put script makes, flushed; arguments go to its init(). Up to 100,000 go over HTTP; more go straight
     * into the store while the server is down. The filled store is kept, so that the next fill like it takes no time,
     * unless the server has a store or an extension of its own. The server restarts.
     */
    public Server fill(int records, String script, Object... arguments) {
        ownStore("fill").checkRuns();
        Fill.of(process, records, script, arguments).run();
        return this;
    }

    /** Writes what a put script makes, over one connection, beside what the store holds; arguments go to its init(). */
    public Server write(int records, String script, Object... arguments) {
        process.checkRuns();
        Fill.of(process, records, script, arguments).throughServer();
        return this;
    }

    /** Ends the process as kill -9 does: it flushes nothing. The store stays for {@link #startAgain}. */
    public Server kill() {
        ownStore("kill").checkRuns();
        process.kill();
        return this;
    }

    /** Stops the process (SIGSTOP) for this long, as a long pause would, and returns when it goes on: "6s". */
    public Server freeze(String length) {
        try (Freeze freeze = process.freeze(Duration.ZERO, Text.duration(length))) {
            freeze.await();
        }
        return this;
    }

    /** Ends the process in order: it flushes. The store stays for {@link #startAgain}. */
    public Server end() {
        ownStore("end").checkRuns();
        process.end();
        return this;
    }

    /** Starts the process on the store that it left; returns the milliseconds until its first answer. */
    public double startAgain() {
        if (ownStore("startAgain").isAlive() || !Files.isDirectory(process.data())) {
            throw new IllegalStateException("the server '%s' %s: startAgain() follows kill() or end()".formatted(process.label(), process.isAlive() ? "runs" : "was stopped"));
        }
        long beganNanos = System.nanoTime();
        process.start();
        return (System.nanoTime() - beganNanos) / 1e6;
    }

    /** Restarts the server with none of its tables in the system's page cache; where the system is not Linux, with whatever is in it. */
    public Server cold() {
        ownStore("cold").checkRuns();
        process.end();
        try {
            PageCache.drop(process.data());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        process.start();
        return this;
    }

    /** Another server like this one, on a copy of its store: what differs between the two is the machine. This one restarts. */
    public Server twin() {
        return new Server(ownStore("twin").twin(process.label() + ", again"));
    }

    /** The ids of this node's records, which must have empty values: between a value and the next id stands nothing. */
    List<String> idsOfEmptyValues() {
        return process.send(HttpRequest.newBuilder(process.uri("/v0/entities?start=!")).build()).body().lines().toList();
    }

    /** Where it listens: "http://127.0.0.1:PORT". */
    public String url() {
        return process.url();
    }

    /** Ends the process and removes its store; a server that was stopped already stays so. */
    public void stop() {
        process.remove();
    }

    /** Stops all of these servers, in their order, and empties the list; if one fails at that, after all others have ended. */
    static void stopAll(List<Server> servers) {
        RuntimeException failure = null;
        for (Server server : servers) {
            try {
                server.stop();
            } catch (RuntimeException e) {
                failure = e;
            }
        }
        servers.clear();
        if (failure != null) {
            throw failure;
        }
    }

    /** The same as {@link #stop}. */
    @Override
    public void close() {
        stop();
    }

    @Override
    public String toString() {
        return "server %s (%s), heap %s, %s".formatted(url(), process.label(), process.heap(), state());
    }

    /** Never throws: a server may end while a cell displays it. */
    private String state() {
        try {
            if (process.isAlive()) {
                return process.shape();
            }
        } catch (IllegalStateException | UncheckedIOException e) {
            // it has just ended, or does not answer
        }
        return process.state();
    }
}
