// SPDX-License-Identifier: Apache-2.0
package lsmlab.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import lsmlab.server.session.Limits;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Clients who take all there is: connections, descriptors, memory. Others are answered, and the store takes writes. */
class ExhaustionIT extends Exhaustion {
    private static final List<String> FEW_DESCRIPTORS = List.of("sh", "-c", "ulimit -n 256 && exec \"$@\"", "sh");
    private final List<Socket> sockets = new ArrayList<>();

    @AfterEach
    void closeSockets() throws IOException {
        for (Socket socket : sockets) {
            socket.close();
        }
    }

    private Socket connect(ServerProcess server, String sent) throws IOException {
        Socket socket = server.connect();
        sockets.add(socket);
        socket.getOutputStream().write(sent.getBytes(StandardCharsets.ISO_8859_1));
        return socket;
    }

    @Test
    void idleConnectionsMakeRoomAndFlushesGoOn() throws Exception {
        try (ServerProcess server = new ServerProcess(ServerProcess.freePort(), "256m", FEW_DESCRIPTORS, data, "--flush-threshold", "64KB")) {
            for (int i = 0; i < 400; i++) {
                connect(server, "");
            }
            fill(server, 0, 60);
            assertTrue(server.stat("/engine/flushes") > 3, "files were opened meanwhile");
            assertTrue(server.stat("/http/connectionsClosedForRoom") > 200, "the longest idle ones were closed");
            assertTrue(server.stat("/http/connections") <= server.stat("/http/maxConnections"));
            assertTrue(server.stats().at("/engine/trouble").isNull());
            assertEquals(0, server.terminate());
        }
    }

    /** The buffers of a request are freed when it is answered. */
    @Test
    void idleConnectionsKeepNothingOfLongIds() throws Exception {
        try (ServerProcess server = new ServerProcess(ServerProcess.freePort(), "48m", List.of(), data, "--flush-threshold", "64KB")) {
            String request = "GET /v0/entity?id=" + "k".repeat(32_000) + " HTTP/1.1\r\nHost: x\r\n\r\n";
            for (int i = 0; i < 900; i++) {
                Socket socket = connect(server, request);
                assertEquals("HTTP/1.1 404", new String(socket.getInputStream().readNBytes(12), StandardCharsets.US_ASCII), "connection " + i);
            }
            fill(server, 0, 60);
        }
    }

    /** Connections that each send most of a 32 KB line are refused when there are too many, and counted. */
    @Test
    void unfinishedLinesTakeABoundedPartOfTheHeap() throws Exception {
        try (ServerProcess server = new ServerProcess(ServerProcess.freePort(), "48m", List.of(), data, "--flush-threshold", "64KB", "--max-body", "1MB")) {
            for (int i = 0; i < 900; i++) {
                connect(server, "GET /v0/entity?id=" + "k".repeat(31_000));
            }
            fill(server, 0, 60);
            assertTrue(server.stat("/http/bodyBytes") <= server.stat("/http/maxBodyBytes"));
            assertTrue(server.stat("/http/bodiesRefused") > 0);
        }
    }

    /** What follows the last answer of a connection is not kept. */
    @Test
    void bytesAfterTheLastAnswerDoNotCount() throws Exception {
        for (String workers : List.of("sync", "pool")) {
            try (ServerProcess server = new ServerProcess(data.resolve(workers), "--workers", workers)) {
                for (String path : List.of("/v0/status", "/v0/entity?id=a", "/nowhere")) {
                    String request = "GET " + path + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
                    for (int i = 0; i < 20; i++) {
                        whole(connect(server, request + "x".repeat(20_000)));
                    }
                }
                closeSockets();
                ServerProcess.await("nothing is counted", () -> server.stat("/http/bodyBytes") == 0);
            }
        }
    }

    @Test
    void withoutAnIdleOneNewConnectionsAreToldAndWhoAsksForTheStatusIsAnswered() throws Exception {
        try (ServerProcess server = new ServerProcess(data, "--max-connections", "20")) {
            for (int i = 0; i < 20; i++) {
                Socket begun = connect(server, "PUT /v0/entity?id=a HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n");
                assertEquals("HTTP/1.1 100", new String(begun.getInputStream().readNBytes(12), StandardCharsets.US_ASCII), "it is not idle");
            }
            String refused = answer(connect(server, "GET /v0/entity?id=a HTTP/1.1\r\nHost: x\r\n\r\n"));
            assertTrue(refused.matches("(?s)HTTP/1.1 503 .*\r\nRetry-After: 1\r\n.*Connection: close.*there are 20 connections, and none of them is idle\n"), refused);
            String status = answer(connect(server, "GET /v0/status HTTP/1.1\r\nHost: x\r\n\r\n"));
            assertTrue(status.startsWith("HTTP/1.1 200 "), status);
            ServerProcess.await("one too many is told at once", () -> {
                Socket more = connect(server, "GET /v0/sta"); // takes a reserved place, as long as there are some
                more.setSoTimeout(300);
                try {
                    return answer(more).startsWith("HTTP/1.1 503 ");
                } catch (SocketTimeoutException e) {
                    return false;
                }
            });
            closeSockets();
            awaitWrites(server, "connections");
            assertTrue(server.stat("/http/connectionsRefused") >= 2);
        }
    }

    /** The connection that is quiet for longest is not idle: its client reads nothing of its answer. */
    @Test
    void aClientThatDoesNotReadKeepsNoIdleConnectionOpen() throws Exception {
        try (ServerProcess server = new ServerProcess(data, "--max-connections", "20")) {
            assertEquals(201, server.put("/v0/entity?id=large", "x".repeat(16 << 20)).statusCode());
            connect(server, "GET /v0/entity?id=large HTTP/1.1\r\nHost: x\r\n\r\n");
            for (int i = 0; i < 40; i++) {
                Socket idle = connect(server, "GET /v0/status HTTP/1.1\r\nHost: x\r\n\r\n");
                assertEquals("HTTP/1.1 200", new String(idle.getInputStream().readNBytes(12), StandardCharsets.US_ASCII), "connection " + i);
            }
            assertEquals(0, server.stat("/http/connectionsRefused"));
        }
    }

    /** A reserved place is for what it is reserved for from the head of a request on. */
    @Test
    void halfUploadsDoNotTakeTheReservedPlaces() throws Exception {
        try (ServerProcess server = new ServerProcess(data, "--max-connections", "20", "--request-timeout", "10m")) {
            for (int i = 0; i < 20 + 2 * Limits.RESERVED_CONNECTIONS; i++) {
                connect(server, "PUT %s HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nabc".formatted(i % 2 == 0 ? "/v0/entity?id=a" : "/v0/status"));
            }
            ServerProcess.await("the status is answered", () -> {
                try {
                    return answer(connect(server, "GET /v0/status HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")).startsWith("HTTP/1.1 200 ");
                } catch (IOException e) {
                    return false; // refused, and reset before it was read
                }
            });
        }
    }

    @Test
    void stalledUploadsTakeABoundedPartOfTheHeap() throws Exception {
        byte[] part = new byte[2 << 20];
        try (ServerProcess server = new ServerProcess(ServerProcess.freePort(), "128m", List.of(), data, "--flush-threshold", "1MB")) {
            List<Thread> uploads = new ArrayList<>();
            for (int i = 0; i < 300; i++) {
                Socket socket = connect(server, "PUT /v0/entity?id=large%d HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n".formatted(i, 16 << 20));
                uploads.add(Thread.startVirtualThread(() -> {
                    try {
                        socket.getOutputStream().write(part);
                    } catch (IOException e) {
                        // refused, and closed in the end
                    }
                }));
            }
            fill(server, 0, 300);
            assertTrue(server.stat("/http/bodyBytes") <= server.stat("/http/maxBodyBytes"));
            ServerProcess.await("some are refused", () -> server.stat("/http/bodiesRefused") > 0);
            closeSockets();
            for (Thread upload : uploads) {
                upload.join();
            }
            awaitWrites(server, "bodies");
            ServerProcess.await("what they took is free", () -> server.stat("/http/bodyBytes") == 0);
            String large = "x".repeat(16 << 20);
            assertEquals(201, server.put("/v0/entity?id=large", large).statusCode());
            assertEquals(large, server.get("/v0/entity?id=large").body());
            assertTrue(server.stats().at("/engine/trouble").isNull());
            assertEquals(0, server.terminate());
            assertEquals("", server.output());
        }
    }

    /** Each is read in full before the client looks for an answer, as most clients do. */
    @Test
    void whoSendsALargeBodyReadsWhyItWasRefused() throws Exception {
        String body = "x".repeat(6 << 20);
        try (ServerProcess server = new ServerProcess(data)) {
            for (String head : List.of("PUT /v0/entity?id=a HTTP/1.1\r\nHost: x\r\nExpect: miracles\r\nContent-Length: %d",
                    "PUT /v0/entity?id=a HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\nbad header", "PUT /v0/entity?id=a HTTP/1.1\r\nContent-Length: %d",
                    "PUT /v0/entity?id=a HTTP/1.1\r\nHost: x\r\nHost: y\r\nContent-Length: %d", "PUT /v0/entity?id=a HTTP/3.0\r\nContent-Length: %d\r\nHost: x",
                    "PUT /v0/entity?id=a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\nX: %d",
                    "PUT /v0/entity?id=a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\nX: %d")) {
                Socket socket = connect(server, head.formatted(body.length()) + "\r\n\r\n" + body);
                String answer = answer(socket);
                assertTrue(answer.matches("(?s)HTTP/1.1 [45]\\d\\d .*Connection: close\r\n\r\n.+\n"), head + ": " + answer);
            }
            assertEquals(404, server.get("/v0/entity?id=a").statusCode());
        }
    }

    @Test
    void aSilentClientThatWasRefusedIsLetGoSoon() throws Exception {
        try (ServerProcess server = new ServerProcess(data)) {
            Socket socket = connect(server, "PUT /v0/entity?id=a HTTP/1.1\r\nHost: x\r\nContent-Length: 100000000\r\n\r\n");
            long start = System.nanoTime();
            String answer = answer(socket);
            assertTrue(answer.startsWith("HTTP/1.1 413 "), answer);
            assertTrue(System.nanoTime() - start < 20_000_000_000L, "not the time that a request may take");
        }
    }

    @Test
    void slowReadersOfRangesAreEndedOldestFirst() throws Exception {
        try (ServerProcess server = new ServerProcess(data, "--max-ranges", "2")) {
            fill(server, 0, 4_000);
            String range = "GET /v0/entities?start=k HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
            Socket oldest = connect(server, range);
            ServerProcess.await("the first has begun", () -> server.stat("/http/openRanges") == 1);
            Socket second = connect(server, range);
            ServerProcess.await("and the second", () -> server.stat("/http/openRanges") == 2);
            assertEquals("127.0.0.1:" + oldest.getLocalPort(), server.stats().at("/http/oldestRanges/0/client").asText(), "who keeps what scans keep");
            Socket third = connect(server, range);
            ServerProcess.await("the oldest is ended", () -> server.stat("/http/rangesEnded") == 1);
            assertFalse(whole(oldest), "the last chunk is missing");
            assertTrue(whole(second) && whole(third));
            ServerProcess.await("nothing is held", () -> server.stat("/http/openRanges") == 0);
        }
    }

    /** Reads until the server closes; returns whether a range came to its end. */
    private static boolean whole(Socket range) {
        try {
            return answer(range).endsWith("\r\n0\r\n\r\n");
        } catch (IOException e) {
            return false; // reset, with what was unread
        }
    }

    @Test
    void slowReadersOfRangesKeepABoundedPartOfMemory() throws Exception {
        try (ServerProcess server = new ServerProcess(ServerProcess.freePort(), "128m", List.of(), data, "--flush-threshold", "8MB", "--wal", "none")) {
            String value = "v".repeat(100_000);
            for (int i = 0; i < 3_000; i++) {
                assertEquals(201, server.put("/v0/entity?id=key" + i % 1_000, value).statusCode());
                if (i % 50 == 49) {
                    connect(server, "GET /v0/entities?start=k HTTP/1.1\r\nHost: x\r\n\r\n");
                }
            }
            assertTrue(server.stat("/engine/endedScans") > 0, "the oldest were ended");
            assertFalse(whole(sockets.getFirst()));
            assertEquals(0, server.stat("/http/rangesFailed"), "nothing is damaged");
            ServerProcess.await("memtables go", () -> server.stat("/engine/unreclaimedMemtableBytes") <= 64 << 20);
            HttpResponse<String> get = server.get("/v0/entity?id=key0");
            assertEquals(200, get.statusCode());
            closeSockets();
            assertEquals(0, server.terminate());
            assertEquals("", server.output());
        }
    }
}
