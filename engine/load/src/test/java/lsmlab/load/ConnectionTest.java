// SPDX-License-Identifier: Apache-2.0
package lsmlab.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import lsmlab.load.result.LoadResult;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What servers do with connections and answers. */
class ConnectionTest extends LoadRuns {
    @Test
    void aServerThatClosesPolitelyCausesNoErrors() throws Exception {
        try (TestServer server = new TestServer((number, head, body) -> "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\nx")) {
            LoadResult result = run(settings(server, 2, 1, 1, 100));
            assertMostWasAnswered(100, result);
            assertEquals(new LoadResult.Errors(0, 0, 0, 0, 0), result.errors());
        }
    }

    @Test
    void aServerThatHangsUpIsCountedAndConnectedToAgain() throws Exception {
        try (TestServer server = new TestServer((number, head, body) -> number % 10 == 9 ? null : TestServer.response(200, "x"))) {
            LoadResult result = run(settings(server, 2, 1, 1, 100));
            assertMostWasAnswered(100, result);
            assertEquals(result.requests() / 9, result.errors().read(), 2);
        }
    }

    @Test
    void chunkedAndSplitResponsesAreUnderstood() throws Exception {
        try (TestServer server = new TestServer((number, head, body) -> "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n3;x=y\r\n!!!\r\n0\r\nTrailer: t\r\n\r\n")) {
            LoadResult result = run(settings(server, 1, 1, 1, 50));
            assertMostWasAnswered(50, result);
            assertEquals(0, result.errors().read());
        }
    }

    @Test
    void aServerThatClosesIdleConnectionsIsNoticed() throws Exception {
        try (TestServer server = new TestServer((number, head, body) -> TestServer.response(200, "x") + TestServer.THEN_CLOSE)) {
            LoadResult result = run(settings(server, 1, 1, 1, 20));
            assertMostWasAnswered(20, result);
            assertEquals(result.requests(), result.errors().read(), 2);
        }
    }

    @Test
    void serversOnIpv6AreReached() throws Exception {
        ServerSocket probe;
        try {
            probe = new ServerSocket(0, 1, InetAddress.getByName("::1"));
        } catch (IOException e) {
            assumeTrue(false, "no IPv6 here");
            return;
        }
        probe.close();
        try (TestServer server = new TestServer(InetAddress.getByName("::1"), (number, head, body) -> TestServer.response(200, "ok"))) {
            assertMostWasAnswered(20, run(settings(server, 1, 1, 1, 20)));
            assertTrue(server.heads().getFirst().contains("Host: [0:0:0:0:0:0:0:1]:"), server.heads().getFirst());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "garbage\r\n\r\n",
        "HTTP/1.1 099 No\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nmore than two",
        "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
        "\u0000\u0001\u0002\u0003\r\n"})
    void whatIsNotHttpIsAnErrorAndAnotherConnectionIsTried(String answer) throws Exception {
        try (TestServer server = new TestServer((number, head, body) -> number % 2 == 0 ? answer : TestServer.response(200, "ok"))) {
            LoadResult result = run(settings(server, 1, 1, 2, 20));
            assertTrue(result.errors().read() > 0, result.errors().toString());
            assertTrue(server.connections.get() > 2, "it connected again");
            assertTrue(result.cost().busyShare() < 0.5, "and burnt no core: " + result.cost());
        }
    }

    @Test
    void hugeHeadersArriveAndEndlessOnesAreAnError() throws Exception {
        String pad = "x".repeat(60_000);
        try (TestServer server = new TestServer((number, head, body) -> "HTTP/1.1 200 OK\r\nX: %s\r\nY: %s\r\nContent-Length: 0\r\n\r\n".formatted(pad, pad))) {
            LoadResult result = run(settings(server, 1, 1, 1, 20));
            assertMostWasAnswered(20, result);
            assertEquals(0, result.errors().read());
        }
        try (TestServer server = new TestServer((number, head, body) -> "HTTP/1.1 200 OK\r\nX: " + pad + pad)) {
            assertTrue(run(settings(server, 1, 1, 1, 20)).errors().read() > 0);
        }
    }

    @Test
    void aServerThatClosesAtOnceBurnsNoCore() throws Exception {
        try (TestServer server = new TestServer((number, head, body) -> null)) {
            LoadResult result = run(settings(server, 4, 1, 2, 1_000));
            assertEquals(0, result.requests());
            assertTrue(result.errors().read() > 10, result.errors().toString());
            assertTrue(result.cost().busyShare() < 0.5, result.cost().toString());
        }
    }
}
