// SPDX-License-Identifier: Apache-2.0
package lsmlab.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Several nodes: where keys are, how many answers are enough, and what a node that was away has missed. */
class ClusterIT extends Nodes {
    @ParameterizedTest
    @CsvSource({"rendezvous,pipelined,sync", "modulo,pipelined,pool", "ring,pipelined,virtual", "rendezvous,jdk,sync", "modulo,jdk,pool", "ring,jdk,virtual", "rendezvous,one-nio,pool",
        "modulo,jdk-locked,pool", "ring,one-nio,virtual"})
    void anyNodeAnswersForAny(String sharding, String proxy, String workers) throws Exception {
        start(3, "--sharding", sharding, "--proxy", proxy, "--workers", workers);
        for (int i = 0; i < 30; i++) {
            String value = "value " + i + "x".repeat(i * 1_000);
            assertEquals(201, put(i % 3, "key" + i, value, "&ack=1&from=1").statusCode());
            for (int node = 0; node < 3; node++) {
                HttpResponse<String> response = get(node, "key" + i, "&ack=1&from=1");
                assertEquals(200, response.statusCode());
                assertEquals(value, response.body());
            }
            assertEquals(1, copies("key" + i).size(), "one copy");
        }
        long spread = IntStream.range(0, 30).mapToObj(i -> copies("key" + i).getFirst()).distinct().count();
        assertEquals(3, spread, "all nodes have keys");
        assertEquals(202, delete(0, "key1", "&ack=1&from=1").statusCode());
        for (int node = 0; node < 3; node++) {
            assertEquals(404, get(node, "key1", "&ack=1&from=1").statusCode());
            assertEquals(get(node, "never", "&ack=1&from=1").body(), get(node, "key1", "&ack=1&from=1").body());
        }
        JsonNode cluster = nodes.getFirst().stats().get("cluster");
        assertTrue(cluster.get("coordinated").asInt() >= 40 && cluster.get("askedOthers").asInt() > 10, cluster.toString());
    }

    @Test
    void replicaSetsAreNestedAndTheSameForAllCoordinators() throws Exception {
        start(5);
        for (int i = 0; i < 8; i++) {
            List<Integer> smaller = List.of();
            for (int from = 1; from <= 5; from++) {
                String key = "nested" + i;
                assertEquals(201, put((i + from) % 5, key, "x", "&ack=" + from + "&from=" + from).statusCode());
                List<Integer> larger = copies(key);
                assertEquals(from, larger.size());
                assertTrue(larger.containsAll(smaller), smaller + " and " + larger);
                smaller = larger;
            }
        }
    }

    @Test
    void parametersOfThreeNodes() throws Exception {
        start(3);
        for (String good : List.of("", "&ack=1&from=3", "&ack=2&from=3", "&replicas=3/3", "&replicas=1/2", "&from=2", "&ack=3", "&ack=1&from=1")) {
            assertEquals(201, put(0, "key", "x", good).statusCode(), good);
            assertNotEquals(400, get(1, "key", good).statusCode(), good);
            assertEquals(202, delete(2, "key", good).statusCode(), good);
        }
        for (String bad : List.of("&ack=0&from=3", "&ack=4", "&ack=3&from=2", "&from=4", "&from=0", "&from=-1", "&ack=&from=3", "&from=", "&ack=two",
                "&replicas=0/3", "&replicas=4/3", "&replicas=1/4", "&replicas=x/y", "&replicas=", "&replicas=1/1&ack=1")) {
            assertEquals(400, put(0, "key", "x", bad).statusCode(), bad);
            assertEquals(400, get(1, "key", bad).statusCode(), bad);
            assertEquals(400, delete(2, "key", bad).statusCode(), bad);
        }
    }

    @Test
    void idsAreUtf8OnTheirWayToo() throws Exception {
        start(3);
        for (String id : List.of("%D0%BA%D0%BB%D1%8E%D1%87%20%F0%9F%94%91", "a%26b%3D%2B%2F%3F%23%25", "%00%01%7F", "+")) {
            if (id.equals("+")) {
                assertEquals(400, put(0, id, "x", "&ack=1&from=1").statusCode());
                continue;
            }
            for (int node = 0; node < 3; node++) {
                assertEquals(201, put(node, id, "from " + node, "&ack=3&from=3").statusCode());
                assertEquals("from " + node, get((node + 1) % 3, id, "&ack=1&from=1").body());
            }
        }
        assertEquals(405, nodes.getFirst().send("POST", "/v0/entity?id=a", BodyPublishers.noBody()).statusCode());
        assertEquals(400, nodes.getFirst().get("/v0/entity?id=").statusCode());
    }

    @ParameterizedTest
    @CsvSource({"pipelined,sync", "pipelined,pool", "jdk,sync", "jdk,pool", "one-nio,pool", "jdk-locked,virtual"})
    void aNodeThatIsDownAndComesBack(String proxy, String workers) throws Exception {
        start(3, "--proxy", proxy, "--workers", workers);
        put(0, "overwritten", "old", "&ack=3");
        put(0, "deleted", "old", "&ack=3");
        put(0, "again", "old", "&ack=3");
        put(0, "emptied", "old", "&ack=3");
        kill(2);
        assertEquals(201, put(0, "overwritten", "new", "").statusCode());
        assertEquals(202, delete(1, "deleted", "").statusCode());
        assertEquals(202, delete(0, "again", "").statusCode());
        assertEquals(201, put(1, "again", "new", "").statusCode());
        assertEquals(201, put(0, "emptied", "", "").statusCode());
        assertEquals(201, put(0, "created", "new", "").statusCode());
        HttpResponse<String> tooFew = put(0, "toofew", "x", "&ack=3");
        assertEquals(504, tooFew.statusCode());
        assertTrue(tooFew.body().matches("3 of 3 replicas must answer, too many did not: 1 (unreachable|connection)\n"), tooFew.body());
        assertEquals(504, get(1, "overwritten", "&ack=3").statusCode());
        assertEquals(504, delete(1, "toofew", "&ack=3").statusCode());
        assertEquals("new", get(1, "overwritten", "&ack=1").body());
        JsonNode stats = nodes.getFirst().stats();
        assertEquals(1, stats.at("/http/answersByStatus/504").asInt());
        JsonNode causes = stats.at("/cluster/failuresByCause");
        assertTrue(causes.get("unreachable").asInt() + causes.get("connection").asInt() >= 3, causes.toString());
        restart(2);
        for (int node = 0; node < 3; node++) {
            String quorum = "&ack=3";
            assertEquals("new", get(node, "overwritten", quorum).body());
            assertEquals(404, get(node, "deleted", quorum).statusCode());
            assertEquals("new", get(node, "again", quorum).body());
            assertEquals(200, get(node, "emptied", quorum).statusCode());
            assertEquals("", get(node, "emptied", quorum).body());
            assertEquals("new", get(node, "created", quorum).body());
        }
    }

    /** A node ends connections that are idle, at the moment, perhaps, when another one asks something on them. */
    @Test
    void connectionsBetweenNodesThatWereIdleAreMadeAgain() throws Exception {
        start(3, "--idle-timeout", "300ms");
        for (int i = 0; i < 25; i++) {
            TimeUnit.MILLISECONDS.sleep(250 + 8 * i); // until after all of them were looked at
            assertEquals(201, put(i % 3, "key" + i, "x", "&ack=3").statusCode());
            assertEquals("x", get((i + 1) % 3, "key" + i, "&ack=3").body());
        }
        for (ServerProcess node : nodes) {
            assertEquals(0, node.stat("/cluster/failuresByCause/connection"));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"pipelined", "jdk", "one-nio"})
    void aNodeThatDoesNotAnswerIsWaitedForNoLongerThanTheTimeout(String proxy) throws Exception {
        start(2, "--proxy", proxy, "--workers", "pool", "--peer-timeout", "3s");
        ServerProcess.await("both nodes answer", () -> put(0, "key", "x", "&ack=2").statusCode() == 201);
        nodes.get(1).pause();
        long begin = System.nanoTime();
        HttpResponse<String> response = get(0, "key", "&ack=2");
        long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin);
        assertEquals(504, response.statusCode());
        assertEquals("2 of 2 replicas must answer, too many did not: 1 timeout\n", response.body());
        assertTrue(millis >= 2_900 && millis < 60_000, millis + " ms");
        assertEquals("x", get(0, "key", "&ack=1").body());
        nodes.get(1).resume();
        ServerProcess.await("it answers again", () -> get(0, "key", "&ack=2").statusCode() == 200);
    }

    /** Writers never write a key at the same time, so what a majority acknowledged last is what a majority must read. */
    @Test
    void readsByQuorumStayRightWhileANodeIsKilledUnderLoad() throws Exception {
        start(3, "--workers", "pool");
        Map<String, Long> acknowledged = new ConcurrentHashMap<>();
        AtomicBoolean goOn = new AtomicBoolean(true);
        AtomicLong checks = new AtomicLong();
        List<Future<Void>> clients = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(8)) {
            for (int client = 0; client < 8; client++) {
                int number = client;
                clients.add(threads.submit(() -> {
                    for (long i = 0; goOn.get(); i++) {
                        String key = "key" + number + "-" + i % 5;
                        int coordinator = (int) ((number + i) % 2); // node 2 is the one that dies
                        assertEquals(201, put(coordinator, key, Long.toString(i), "").statusCode(), "two of three are enough");
                        acknowledged.put(key, i);
                        checkRead(key, i, 1 - coordinator);
                        checks.incrementAndGet();
                    }
                    return null;
                }));
            }
            for (int round = 0; round < (ServerProcess.ALL_TESTS ? 10 : 3); round++) {
                awaitMore(checks, 200);
                kill(2);
                awaitMore(checks, 200);
                restart(2);
            }
            awaitMore(checks, 200);
            goOn.set(false);
            for (Future<Void> client : clients) {
                client.get();
            }
        }
        for (Map.Entry<String, Long> entry : acknowledged.entrySet()) {
            assertTrue(Long.parseLong(get(2, entry.getKey(), "").body()) >= entry.getValue());
        }
    }

    private void checkRead(String key, long acknowledged, int coordinator) throws Exception {
        String read = get(coordinator, key, "").body();
        assertTrue(!read.isEmpty() && Long.parseLong(read.strip()) >= acknowledged, key + " is " + read + ", acknowledged was " + acknowledged);
    }

    private static void awaitMore(AtomicLong checks, int more) throws Exception {
        long target = checks.get() + more;
        ServerProcess.await(more + " more checks", () -> checks.get() >= target);
    }

    @Test
    void aPeerThatTalksNonsenseCountsAsAFailure() throws Exception {
        int port = ServerProcess.freePort();
        try (ServerSocket nonsense = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            Thread.ofPlatform().daemon().start(() -> {
                while (true) {
                    try (var socket = nonsense.accept()) {
                        socket.getOutputStream().write("what?\n".getBytes(StandardCharsets.US_ASCII));
                    } catch (IOException e) {
                        return;
                    }
                }
            });
            nodes.add(new ServerProcess(port, "128m", List.of(), folder, "--peer-timeout", "30s", "--cluster",
                    "http://127.0.0.1:" + port + ",http://127.0.0.1:" + nonsense.getLocalPort()));
            assertEquals(504, put(0, "key", "x", "&ack=2").statusCode());
            assertEquals(201, put(0, "key", "x", "&ack=1").statusCode());
            assertNotEquals(0, nodes.getFirst().stat("/cluster/failuresByCause/connection"));
        }
    }

    @ParameterizedTest
    @CsvSource({"pipelined,sync", "jdk,sync", "jdk-locked,pool", "one-nio,pool"})
    void aReplyThatEndsInTheMiddleIsWaitedForNoLongerThanTheTimeout(String proxy, String workers) throws Exception {
        int port = ServerProcess.freePort();
        List<Socket> open = new CopyOnWriteArrayList<>();
        try (ServerSocket half = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            Thread.ofPlatform().daemon().start(() -> {
                while (true) {
                    try {
                        Socket socket = half.accept();
                        open.add(socket);
                        socket.getOutputStream().write("HTTP/1.1 200 OK\r\nX-Lsm-Version: 7\r\nContent-Length: 10\r\n\r\nhalf".getBytes(StandardCharsets.US_ASCII));
                    } catch (IOException e) {
                        return;
                    }
                }
            });
            nodes.add(new ServerProcess(port, "128m", List.of(), folder, "--proxy", proxy, "--workers", workers, "--peer-timeout", "3s",
                    "--cluster", "http://127.0.0.1:" + port + ",http://127.0.0.1:" + half.getLocalPort()));
            for (int i = 0; i < 3; i++) {
                HttpResponse<String> response = get(0, "key" + i, "&ack=2");
                assertEquals(504, response.statusCode());
                assertEquals("2 of 2 replicas must answer, too many did not: 1 timeout\n", response.body());
            }
            assertEquals(0, nodes.getFirst().terminate());
        } finally {
            for (Socket socket : open) {
                socket.close();
            }
        }
    }

    @Test
    void aPeerThatIsNoNodeOfAClusterCountsAsAFailure() throws Exception {
        int port = ServerProcess.freePort();
        try (ServerProcess alone = new ServerProcess(folder.resolve("alone"))) {
            alone.put("/v0/entity?id=key", "without a version");
            nodes.add(new ServerProcess(port, "128m", List.of(), folder.resolve("node"), "--peer-timeout", "30s", "--cluster",
                    "http://localhost:" + port + ",http://localhost:" + alone.port));
            HttpResponse<String> response = get(0, "key", "&ack=2");
            assertEquals(504, response.statusCode());
            assertEquals("2 of 2 replicas must answer, too many did not: 1 error\n", response.body());
        }
    }
}
