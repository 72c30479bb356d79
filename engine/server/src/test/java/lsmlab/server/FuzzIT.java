// SPDX-License-Identifier: Apache-2.0
package lsmlab.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Malformed requests at the socket: requests known to be good or bad, and random changes to them. A failure names the seed; {@code -Dlsmlab.requests=N}
 * and {@code -Dlsmlab.seed=N} set how many and from which one on.
 */
class FuzzIT {
    private static final int REQUESTS = Integer.getInteger("lsmlab.requests", ServerProcess.ALL_TESTS ? 50_000 : 5_000); // for each kind of workers
    private static final int FIRST_SEED = Integer.getInteger("lsmlab.seed", 0);
    private static final int CLIENTS = 4;
    private static final int HANG_MILLIS = 20_000;

    private static final List<String> CORPUS = List.of(
            "GET /v0/entity?id=key HTTP/1.1\r\nHost: localhost\r\n\r\n",
            "PUT /v0/entity?id=key HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nvalue",
            "PUT /v0/entity?id=key HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nvalue\r\n10;a=b\r\n0123456789abcdef\r\n0\r\nT: t\r\n\r\n",
            "DELETE /v0/entity?id=%F0%9F%94%91&ack=1&from=1 HTTP/1.1\r\nHost: x\r\n\r\n",
            "GET /v0/entities?start=a&end=z HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA\r\n\r\n",
            "GET /v0/stats HTTP/1.0\r\n\r\n", "GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", "HEAD /v0/status HTTP/1.1\r\nHost: x\r\n\r\n",
            "PUT /v0/entity?id=key HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\nabc",
            "PUT /v0/entity?id=key HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            "PUT /v0/entity?id=key HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999\r\n\r\n", "PUT /v0/entity?id=key HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
            "PUT /v0/entity?id=key HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFF\r\n",
            "PUT /v0/entity?id=key HTTP/1.1\r\nHost: x\r\nX-Lsm-Replica: 18446744073709551615\r\n\r\n",
            "GET /v0/entity?id=%C3%28 HTTP/1.1\r\nHost: x\r\n\r\n", "GET /v0/entity?id=% HTTP/1.1\r\nHost: x\r\n\r\n", "GET /v0/entity?&&&=&id HTTP/1.1\r\nHost: x\r\n\r\n",
            "GET  /  HTTP/1.1\r\nHost: x\r\n\r\n", "\r\n\r\n\r\nGET / HTTP/1.1\n\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "GET http:// HTTP/1.1\r\nHost: x\r\n\r\n",
            "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003", "GET / HTTP/1.1\r\nHost: x\r\n folded: x\r\n\r\n", "GET / HTTP/1.1\r\nHost: x\r\nA : b\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: x\r\n" + "a:b\r\n".repeat(200) + "\r\n", "GET /" + "y".repeat(40_000) + " HTTP/1.1\r\nHost: x\r\n\r\n");

    @TempDir
    Path data;

    private static byte[] changed(Random random) {
        byte[] bytes = pick(random);
        for (int changes = random.nextInt(5); changes > 0; changes--) {
            int from = random.nextInt(bytes.length + 1);
            int to = Math.min(bytes.length, from + 1 + random.nextInt(1 + random.nextInt(20)));
            bytes = switch (random.nextInt(6)) {
                case 0 -> replaced(bytes, from, to, new byte[] {(byte) random.nextInt(256)});
                case 1 -> replaced(bytes, from, to, new byte[0]);
                case 2 -> replaced(bytes, from, from, Arrays.copyOfRange(bytes, from, to));
                case 3 -> replaced(bytes, from, from, "\r\n".substring(random.nextInt(2)).getBytes(StandardCharsets.US_ASCII));
                case 4 -> replaced(bytes, bytes.length, bytes.length, pick(random));
                default -> Arrays.copyOf(bytes, from);
            };
        }
        return bytes;
    }

    private static byte[] pick(Random random) {
        return CORPUS.get(random.nextInt(CORPUS.size())).getBytes(StandardCharsets.ISO_8859_1);
    }

    private static byte[] replaced(byte[] bytes, int from, int to, byte[] by) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(bytes, 0, from);
        out.writeBytes(by);
        out.write(bytes, to, bytes.length - to);
        return out.toByteArray();
    }

    @ParameterizedTest
    @ValueSource(strings = {"sync", "pool"})
    void nothingThatIsSentHurts(String workers) throws Exception {
        try (ServerProcess server = new ServerProcess(data, "--workers", workers, "--max-body", "1MB", "--flush-threshold", "64KB")) {
            assertEquals(201, server.put("/v0/entity?id=before", "kept").statusCode());
            send(server, FIRST_SEED, FIRST_SEED + REQUESTS / 3);
            long heap = liveHeap(server);
            long descriptors = descriptors(server);
            long threads = server.stat("/jvm/threads");
            send(server, FIRST_SEED + REQUESTS / 3, FIRST_SEED + REQUESTS);
            assertEquals("kept", server.get("/v0/entity?id=before").body());
            ServerProcess.await("no connections are left", () -> server.stat("/http/connections") <= 2);
            assertTrue(descriptors(server) <= descriptors + 5, descriptors + " descriptors were open, now " + descriptors(server));
            assertTrue(server.stat("/jvm/threads") <= threads + 2, threads + " threads, now " + server.stat("/jvm/threads"));
            assertTrue(liveHeap(server) <= heap + (4 << 20), heap + " bytes lived, now " + liveHeap(server));
            assertEquals(0, server.stat("/http/answersByStatus/500"));
            assertEquals(0, server.stat("/http/openRanges"));
            assertEquals(0, server.terminate());
            assertEquals("", server.output(), "nothing unexpected was printed");
        }
    }

    private static void send(ServerProcess server, int from, int to) throws Exception {
        try (ExecutorService threads = Executors.newFixedThreadPool(CLIENTS)) {
            List<Future<Void>> clients = new ArrayList<>();
            for (int client = 0; client < CLIENTS; client++) {
                int first = from + client;
                clients.add(threads.submit(() -> {
                    for (int seed = first; seed < to; seed += CLIENTS) {
                        sendOne(server, seed);
                    }
                    return null;
                }));
            }
            for (Future<Void> client : clients) {
                client.get();
            }
        }
    }

    private static void sendOne(ServerProcess server, int seed) throws IOException {
        Random random = new Random(seed);
        byte[] bytes = changed(random);
        try (Socket socket = server.connect()) {
            socket.setSoTimeout(HANG_MILLIS);
            socket.setSoLinger(true, 0); // so that ports don't run out
            int cut = random.nextInt(bytes.length + 1);
            socket.getOutputStream().write(bytes, 0, cut);
            socket.getOutputStream().write(bytes, cut, bytes.length - cut);
            if (random.nextInt(10) == 0) {
                return; // without a word
            }
            socket.shutdownOutput();
            String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
            assertTrue(answer.isEmpty() || answer.startsWith("HTTP/1.1 "), () -> "seed " + seed + ": " + answer);
        } catch (SocketException e) {
            // refused and closed while this was still sending
        } catch (IOException e) {
            throw new AssertionError("seed " + seed, e);
        }
    }

    private static long descriptors(ServerProcess server) throws IOException {
        try (var open = Files.list(Path.of("/proc/" + server.process.pid() + "/fd"))) {
            return open.count();
        }
    }

    private static long liveHeap(ServerProcess server) throws Exception {
        Path jcmd = Path.of(System.getProperty("java.home"), "bin/jcmd");
        assertEquals(0, new ProcessBuilder(jcmd.toString(), Long.toString(server.process.pid()), "GC.run").redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD).start().waitFor());
        return server.stat("/jvm/heapUsedBytes");
    }
}
