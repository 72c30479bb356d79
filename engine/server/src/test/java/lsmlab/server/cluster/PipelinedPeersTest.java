// SPDX-License-Identifier: Apache-2.0
package lsmlab.server.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import lsmlab.server.cluster.Peers.Question;
import lsmlab.server.cluster.Peers.Reply;
import lsmlab.server.wire.Request.Method;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Against a socket that does what a node should not, or seldom does. */
@Timeout(60)
class PipelinedPeersTest {
    private static final int MANY = 100;
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final ConcurrentLinkedQueue<AutoCloseable> opened = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<String> seen = new ConcurrentLinkedQueue<>(); // paths of requests that came

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : opened) {
            each.close();
        }
    }

    /** What the node does with a connection; it is closed afterwards. */
    private interface Script {
        void run(int connection, Socket socket, InputStream in) throws IOException, InterruptedException;
    }

    private PipelinedPeers peers(Script script, Duration timeout) throws IOException {
        ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        opened.add(server);
        AtomicInteger connections = new AtomicInteger();
        Thread.startVirtualThread(() -> {
            while (true) {
                try {
                    Socket socket = server.accept();
                    int number = connections.getAndIncrement();
                    Thread.startVirtualThread(() -> {
                        try (socket) {
                            script.run(number, socket, new BufferedInputStream(socket.getInputStream()));
                        } catch (IOException | InterruptedException e) {
                            // the peer has ended it
                        }
                    });
                } catch (IOException e) {
                    return; // the test is over
                }
            }
        });
        PipelinedPeers peers = new PipelinedPeers(List.of("http://127.0.0.1:" + server.getLocalPort()), timeout, 10 * MANY);
        opened.add(peers);
        return peers;
    }

    /** The path of the next request, or null at the end; of a PUT the body is read, too. */
    private static String request(InputStream in) throws IOException {
        String path = null;
        int body = 0;
        for (String line = line(in); line != null && !(line.isEmpty() && path != null); line = line(in)) {
            path = path == null ? line.split(" ")[1] : path;
            body = line.startsWith("Content-Length: ") ? Integer.parseInt(line.substring(16)) : body;
        }
        in.skipNBytes(body);
        return path;
    }

    private static String line(InputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0) {
                return null;
            }
            if (next != '\r') {
                line.append((char) next);
            }
        }
        return line.toString();
    }

    private static void answer(Socket socket, String body) throws IOException {
        socket.getOutputStream().write("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s".formatted(body.length(), body).getBytes(StandardCharsets.US_ASCII));
    }

    private static Question get(int i) {
        return new Question(Method.GET, "/" + i, 0, null);
    }

    private static String body(CompletableFuture<Reply> reply) throws Exception {
        return new String(reply.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).body(), StandardCharsets.US_ASCII);
    }

    /** Answers {@code most} requests with their paths, or fewer if the peer ends the connection before. */
    private void answerAll(Socket socket, InputStream in, int most) throws IOException {
        int answered = 0;
        for (String path = request(in); path != null && answered < most; path = request(in)) {
            seen.add(path);
            answer(socket, path);
            answered++;
        }
    }

    private static List<CompletableFuture<Reply>> askMany(PipelinedPeers peers, IntFunction<Question> question) {
        return IntStream.range(0, MANY).mapToObj(i -> peers.ask(0, question.apply(i))).toList();
    }

    private static void checkReplies(List<CompletableFuture<Reply>> replies) throws Exception {
        for (int i = 0; i < MANY; i++) {
            assertEquals("/" + i, body(replies.get(i)));
        }
    }

    @Test
    void eachQuestionHasItsOwnReply() throws Exception {
        checkReplies(askMany(peers((_, socket, in) -> answerAll(socket, in, MANY), PATIENCE), PipelinedPeersTest::get));
    }

    @Test
    void whatABrokenConnectionTakesWithItIsAskedOnceMore() throws Exception {
        CountDownLatch allAsked = new CountDownLatch(1);
        PipelinedPeers peers = peers((connection, socket, in) -> {
            allAsked.await();
            answerAll(socket, in, connection == 0 ? 3 : MANY);
        }, PATIENCE);
        List<CompletableFuture<Reply>> replies = askMany(peers, PipelinedPeersTest::get);
        allAsked.countDown();
        checkReplies(replies);
        assertEquals(MANY, seen.stream().distinct().count());
        assertTrue(seen.size() <= MANY + 3, "what was answered may have been lost on its way, nothing else is asked twice");
    }

    @Test
    void whatBreaksTwiceFails() throws Exception {
        PipelinedPeers peers = peers((_, _, in) -> request(in), PATIENCE);
        CompletableFuture<Reply> reply = peers.ask(0, get(1));
        ExecutionException failed = assertThrows(ExecutionException.class, () -> reply.get(PATIENCE.toSeconds(), TimeUnit.SECONDS));
        assertInstanceOf(IOException.class, failed.getCause());
    }

    @Test
    void aRefusalCountsThoughTheBodyWasNotTaken() throws Exception {
        PipelinedPeers peers = peers((_, socket, in) -> {
            line(in);
            socket.getOutputStream().write("HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: 2\r\n\r\nno".getBytes(StandardCharsets.US_ASCII));
            in.transferTo(OutputStream.nullOutputStream()); // until the peer has ended the connection
        }, PATIENCE);
        Reply reply = peers.ask(0, new Question(Method.PUT, "/large", 1, new byte[16 << 20])).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        assertEquals(503, reply.status());
        assertEquals("no", new String(reply.body(), StandardCharsets.US_ASCII));
    }

    @Test
    void whatWasGivenUpIsNotSentAnyMore() throws Exception {
        CountDownLatch goOn = new CountDownLatch(1);
        PipelinedPeers peers = peers((_, socket, in) -> {
            goOn.await();
            answerAll(socket, in, MANY);
        }, Duration.ofSeconds(2));
        byte[] large = new byte[16 << 20]; // more than the sockets take while the node reads nothing
        List<CompletableFuture<Reply>> replies = askMany(peers, i -> new Question(Method.PUT, "/" + i, 1, large));
        TimeUnit.SECONDS.sleep(1); // so that what follows waits for longer than they do
        CompletableFuture<Reply> after = peers.ask(0, new Question(Method.PUT, "/after", 1, new byte[1]));
        for (CompletableFuture<Reply> reply : replies) {
            assertSame(Peers.TIMED_OUT, reply.get(PATIENCE.toSeconds(), TimeUnit.SECONDS));
        }
        goOn.countDown();
        assertEquals("/after", body(after));
        assertTrue(seen.size() < 10, "seen: " + seen); // the one that was on its way, on each connection
    }

    @Test
    void aNodeThatIsNotThereIsToldFromOneThatIsSilent() throws Exception {
        PipelinedPeers silent = peers((_, _, in) -> in.transferTo(OutputStream.nullOutputStream()), Duration.ofMillis(200));
        assertSame(Peers.TIMED_OUT, silent.ask(0, get(1)).get(PATIENCE.toSeconds(), TimeUnit.SECONDS));
        int port;
        try (ServerSocket closed = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = closed.getLocalPort();
        }
        for (String url : List.of("http://127.0.0.1:" + port, "http://no-such-host.invalid:1")) {
            try (PipelinedPeers absent = new PipelinedPeers(List.of(url), PATIENCE, MANY)) {
                ExecutionException failed = assertThrows(ExecutionException.class, () -> absent.ask(0, get(1)).get(PATIENCE.toSeconds(), TimeUnit.SECONDS));
                assertInstanceOf(ConnectException.class, failed.getCause());
            }
        }
    }
}
