// SPDX-License-Identifier: Apache-2.0
package lsmlab.server;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import lsmlab.storage.Engine;
import lsmlab.storage.WriteRefusedException;
import one.nio.http.HttpServer;
import one.nio.http.HttpServerConfig;
import one.nio.http.HttpSession;
import one.nio.http.Request;
import one.nio.http.Response;
import one.nio.net.Socket;
import one.nio.server.AcceptorConfig;

/**
 * The HTTP contract over one engine: {@code /v0/entity}, {@code /v0/status}, {@code /v0/stats}. Requests are answered on the
 * selector thread that read them. Every error has one line of text that says what was wrong.
 */
final class LsmServer extends HttpServer {
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final Engine engine;
    private final ServerStats stats;
    private final int maxBodyBytes;
    private final Map<Integer, LongAdder> answersByStatus = new ConcurrentSkipListMap<>();
    private final AtomicBoolean toldOfFailure = new AtomicBoolean();

    LsmServer(Engine engine, String host, int port, int selectors, int maxBodyBytes, Map<String, Object> optionsInForce)
            throws IOException {
        super(config(host, port, selectors));
        this.engine = engine;
        this.maxBodyBytes = maxBodyBytes;
        this.stats = new ServerStats(engine, answersByStatus, optionsInForce);
    }

    private static HttpServerConfig config(String host, int port, int selectors) {
        AcceptorConfig acceptor = new AcceptorConfig();
        acceptor.address = host;
        acceptor.port = port;
        acceptor.noDelay = true;
        acceptor.reusePort = false; // or two servers would share the port unnoticed
        HttpServerConfig config = new HttpServerConfig();
        config.acceptors = new AcceptorConfig[] {acceptor};
        config.selectors = selectors;
        config.closeSessions = true;
        return config;
    }

    @Override
    public HttpSession createSession(Socket socket) {
        return new LsmSession(socket, this);
    }

    @Override
    public void handleRequest(Request request, HttpSession session) throws IOException {
        Response response;
        try {
            response = answer(request);
        } catch (Ids.BadId e) {
            response = text(Response.BAD_REQUEST, e.getMessage());
        } catch (WriteRefusedException e) {
            response = text(Response.SERVICE_UNAVAILABLE, e.getMessage());
            response.addHeader("Retry-After: 1");
        } catch (UncheckedIOException e) {
            response = text(Response.SERVICE_UNAVAILABLE, e.getMessage());
            if (!toldOfFailure.getAndSet(true)) {
                System.err.println("lsm-server: " + e.getMessage());
            }
        } catch (RuntimeException e) {
            response = text(Response.INTERNAL_ERROR, e.toString());
            e.printStackTrace();
        }
        countStatus(response.getStatus());
        session.sendResponse(response);
    }

    private Response answer(Request request) {
        return switch (request.getPath()) {
            case "/v0/entity" -> entity(request);
            case "/v0/status" -> request.getMethod() == Request.METHOD_GET ? text(Response.OK, "serving") : wrongMethod("GET");
            case "/v0/stats" -> request.getMethod() == Request.METHOD_GET ? json(stats.now()) : wrongMethod("GET");
            default -> text(Response.BAD_REQUEST, "no such path: " + request.getPath());
        };
    }

    private Response entity(Request request) {
        MemorySegment key = MemorySegment.ofArray(Ids.of(request.getURI()));
        return switch (request.getMethod()) {
            case Request.METHOD_GET -> get(key);
            case Request.METHOD_PUT -> put(key, request.getBody());
            case Request.METHOD_DELETE -> delete(key);
            default -> wrongMethod("GET, PUT, DELETE");
        };
    }

    private Response get(MemorySegment key) {
        MemorySegment value = engine.get(key);
        return value == null ? text(Response.NOT_FOUND, "no such id") : Response.ok(value.toArray(JAVA_BYTE));
    }

    private Response put(MemorySegment key, byte[] body) {
        engine.put(key, MemorySegment.ofArray(body == null ? Response.EMPTY : body));
        return new Response(Response.CREATED, Response.EMPTY);
    }

    private Response delete(MemorySegment key) {
        engine.delete(key);
        return new Response(Response.ACCEPTED, Response.EMPTY);
    }

    private static Response wrongMethod(String allowed) {
        Response response = text(Response.METHOD_NOT_ALLOWED, "the methods allowed here: " + allowed);
        response.addHeader("Allow: " + allowed);
        return response;
    }

    /** One line of text. */
    static Response text(String status, String text) {
        Response response = new Response(status, (text + "\n").getBytes(StandardCharsets.UTF_8));
        response.addHeader("Content-Type: text/plain; charset=utf-8");
        return response;
    }

    private static Response json(Object value) {
        try {
            Response response = Response.ok(JSON.writeValueAsBytes(value));
            response.addHeader("Content-Type: application/json");
            return response;
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    int maxBodyBytes() {
        return maxBodyBytes;
    }

    void countStatus(int status) {
        LongAdder counter = answersByStatus.get(status);
        if (counter == null) {
            counter = answersByStatus.computeIfAbsent(status, s -> new LongAdder());
        }
        counter.increment();
    }
}
