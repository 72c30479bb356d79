// SPDX-License-Identifier: Apache-2.0
package lsmlab.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import lsmlab.server.cluster.Peers;
import lsmlab.server.wire.Request;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Versions from wrong clocks, and a node that has stopped: what one node does wrong does not stay with the others. */
class ClusterFaultIT extends Nodes {
    private static final long FAR_AHEAD = 999_999_999_999_999_999L; // the year 2093

    private int replicaPut(int node, String id, long version, String value) throws Exception {
        ServerProcess server = nodes.get(node);
        return ServerProcess.http().send(server.request("/v0/entity?id=" + id).header(Peers.REPLICA_HEADER, Long.toString(version))
                .PUT(BodyPublishers.ofString(value)).build(), BodyHandlers.ofString()).statusCode();
    }

    private static long versionIn(long minutes) {
        return TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis() + TimeUnit.MINUTES.toMillis(minutes)) << 8;
    }

    @Test
    void aVersionFromAWrongClockIsRefusedAndNobodyCatchesIt() throws Exception {
        start(3);
        assertEquals(409, replicaPut(0, "a", FAR_AHEAD, "poison"));
        assertEquals(409, replicaPut(0, "a", Request.MAX_VERSION, "poison"));
        for (String bad : List.of("9223372036854775807", "99999999999999999999", "-1")) {
            String answer = nodes.getFirst().raw("PUT /v0/entity?id=a HTTP/1.1\r\nHost: x\r\n%s: %s\r\nContent-Length: 1\r\n\r\nx".formatted(Peers.REPLICA_HEADER, bad));
            assertTrue(answer.startsWith("HTTP/1.1 400 "), answer);
        }
        for (int round = 0; round < 2; round++) {
            for (int node = 0; node < 3; node++) {
                assertEquals(201, put(node, "a", "sound " + node, "").statusCode());
                assertEquals("sound " + node, get((node + 1) % 3, "a", "").body());
            }
            kill(0);
            restart(0);
        }
    }

    /** As after a node whose clock was ahead, though not too far, has gone. */
    @Test
    void aWriteWhoseVersionIsOlderIsNotLostSilently() throws Exception {
        start(3);
        for (int i = 0; i < 20; i++) {
            long version = versionIn(5);
            for (int node = 0; node < 3; node++) {
                assertEquals(201, replicaPut(node, "k" + i, version, "ahead"));
            }
            assertEquals(201, put(i % 3, "k" + i, "acknowledged", "").statusCode());
            assertEquals("acknowledged", get((i + 1) % 3, "k" + i, "").body());
        }
        assertEquals(202, delete(1, "k0", "").statusCode());
        assertEquals(404, get(2, "k0", "").statusCode());
    }

    /** They overtake each other, and none has to be tried for ever. */
    @Test
    void writesOfOneIdAtOnceAreAllAcknowledged() throws Exception {
        start(3);
        List<CompletableFuture<HttpResponse<String>>> writes = new ArrayList<>();
        for (int i = 0; i < 600; i++) {
            ServerProcess server = nodes.get(i % 3);
            writes.add(ServerProcess.http().sendAsync(server.request("/v0/entity?id=hot").PUT(BodyPublishers.ofString("v" + i)).build(), BodyHandlers.ofString()));
            if (i % 48 == 47) {
                writes.getLast().get();
            }
        }
        for (CompletableFuture<HttpResponse<String>> write : writes) {
            assertEquals(201, write.get().statusCode());
        }
        assertEquals(201, put(1, "hot", "last", "").statusCode());
        assertEquals("last", get(2, "hot", "").body());
    }

    @ParameterizedTest
    @ValueSource(strings = {"pipelined", "jdk"})
    void aStoppedNodeTakesABoundedNumberOfDescriptors(String proxy) throws Exception {
        before = List.of("sh", "-c", "ulimit -n 512 && exec \"$@\"", "sh");
        start(3, "--proxy", proxy, "--peer-timeout", "3s", "--workers", "pool", "--flush-threshold", "64KB");
        for (int node = 0; node < 3; node++) {
            assertEquals(201, put(node, "warm" + node, "x", "").statusCode());
        }
        nodes.get(2).pause();
        List<CompletableFuture<HttpResponse<String>>> writes = new ArrayList<>();
        for (int i = 0; i < 1_500; i++) {
            ServerProcess server = nodes.get(i % 2);
            writes.add(ServerProcess.http().sendAsync(server.request("/v0/entity?id=key" + i).PUT(BodyPublishers.ofString("v".repeat(500))).build(), BodyHandlers.ofString()));
            if (i % 60 == 59) {
                writes.getLast().handle((_, _) -> null).get();
                for (int node = 0; node < 2; node++) {
                    assertTrue(descriptors(node) < 480, "node %d has %d descriptors".formatted(node, descriptors(node)));
                }
            }
        }
        CompletableFuture.allOf(writes.toArray(CompletableFuture[]::new)).handle((_, _) -> null).get();
        nodes.get(2).resume();
        ServerProcess.await("writes by all three", () -> put(0, "after", "x", "&ack=3&from=3").statusCode() == 201);
        for (int node = 0; node < 3; node++) {
            assertTrue(nodes.get(node).stats().at("/engine/trouble").isNull());
        }
    }

    /** The JDK's client never closes a connection whose reply it can't read. */
    @ParameterizedTest
    @ValueSource(strings = {"pipelined", "jdk"})
    void aPeerThatDoesNotSpeakHttpTakesABoundedNumberOfDescriptors(String proxy) throws Exception {
        try (ServerSocket stranger = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            Thread.startVirtualThread(() -> talkNonsense(stranger));
            int port = ServerProcess.freePort();
            String urls = "http://localhost:%d,http://localhost:%d".formatted(port, stranger.getLocalPort());
            try (ServerProcess node = new ServerProcess(port, "128m", List.of(), folder.resolve("node"), "--cluster", urls, "--proxy", proxy, "--peer-timeout", "2s")) {
                nodes.add(node);
                for (int i = 0; i < 400; i++) {
                    assertEquals(504, get(0, "a", "").statusCode());
                }
                ServerProcess.await("descriptors are given back", () -> descriptors(0) < 120);
            }
        }
    }

    private static void talkNonsense(ServerSocket socket) {
        List<Socket> open = new ArrayList<>();
        try {
            while (true) {
                Socket client = socket.accept();
                open.add(client);
                client.getOutputStream().write("nonsense\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            }
        } catch (IOException e) {
            // the test is over
        }
    }

    private long descriptors(int node) throws Exception {
        try (var open = Files.list(Path.of("/proc/" + nodes.get(node).process.pid() + "/fd"))) {
            return open.count();
        }
    }
}
