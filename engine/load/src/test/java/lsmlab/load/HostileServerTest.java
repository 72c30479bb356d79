// SPDX-License-Identifier: Apache-2.0
package lsmlab.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import lsmlab.load.plan.Settings;
import lsmlab.load.report.TextReport;
import lsmlab.load.result.LoadResult;
import lsmlab.load.run.LoadRun;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Servers that answer garbage, too much, nothing or without end. The run must end on time, account for every planned request and use bounded
 * memory. {@code -Dlsmlab.seed=N} sets the seed.
 */
class HostileServerTest {
    private static final int CONNECTIONS = 8;
    private static final long SEED = Long.getLong("lsmlab.seed", 1);

    /** What the server does with a request. */
    private enum Answer {
        GARBAGE, NOTHING, RESET, HALF_A_HEAD, ENDLESS_LINE, ENDLESS_HEAD, ENDLESS_INTERIM, ENDLESS_CHUNKS, BODY_OF_10_GB, ENDS_EARLY, TWICE, HUGE_LENGTH, TWO_LENGTHS,
        BLANK_BEFORE_COLON, LONG_STATUS, A_BYTE_AT_A_TIME, SOUND;

        void give(Socket client, OutputStream out, Random random) throws IOException {
            switch (this) {
                case GARBAGE -> {
                    byte[] bytes = new byte[1 + random.nextInt(5_000)];
                    random.nextBytes(bytes);
                    out.write(bytes);
                }
                case NOTHING -> {}
                case RESET -> client.setSoLinger(true, 0);
                case HALF_A_HEAD -> write(out, "HTTP/1.1 200 OK\r\nContent-");
                case ENDLESS_LINE -> forEver(out, "HTTP/1.1 200 OK\r\nX: ", "y".repeat(10_000));
                case ENDLESS_HEAD -> forEver(out, "HTTP/1.1 200 OK\r\n", "X: y\r\n".repeat(1_000));
                case ENDLESS_INTERIM -> forEver(out, "", "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n".repeat(100));
                case ENDLESS_CHUNKS -> forEver(out, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "ffff\r\n" + "z".repeat(65_535) + "\r\n");
                case BODY_OF_10_GB -> forEver(out, "HTTP/1.1 200 OK\r\nContent-Length: 10000000000\r\n\r\n", "z".repeat(65_536));
                case ENDS_EARLY -> write(out, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nfive.");
                case TWICE -> write(out, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".repeat(2));
                case HUGE_LENGTH -> write(out, "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999999\r\n\r\nok");
                case TWO_LENGTHS -> write(out, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok");
                case BLANK_BEFORE_COLON -> write(out, "HTTP/1.1 200 OK\r\nContent-Length : 2\r\n\r\nok");
                case LONG_STATUS -> write(out, "HTTP/1.1 2000 OK\r\nContent-Length: 2\r\n\r\nok");
                case A_BYTE_AT_A_TIME -> {
                    for (byte b : "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".getBytes(StandardCharsets.US_ASCII)) {
                        out.write(b);
                    }
                }
                case SOUND -> write(out, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
            }
        }

        boolean goesOn() {
            return this == A_BYTE_AT_A_TIME || this == SOUND;
        }

        /** Until the client has had enough. */
        private static void forEver(OutputStream out, String first, String again) throws IOException {
            write(out, first);
            byte[] bytes = again.getBytes(StandardCharsets.US_ASCII);
            while (true) {
                out.write(bytes);
            }
        }

        private static void write(OutputStream out, String text) throws IOException {
            out.write(text.getBytes(StandardCharsets.US_ASCII));
        }
    }

    @TempDir
    Path folder;

    private static void serve(ServerSocket socket, List<Answer> answers) {
        AtomicInteger number = new AtomicInteger();
        while (!socket.isClosed()) {
            try {
                Socket client = socket.accept();
                Random random = new Random(SEED + number.getAndIncrement());
                Thread.startVirtualThread(() -> serve(client, answers, random));
            } catch (IOException e) {
                return; // closed
            }
        }
    }

    private static void serve(Socket client, List<Answer> answers, Random random) {
        try (client) {
            client.setTcpNoDelay(true);
            InputStream in = client.getInputStream();
            byte[] request = new byte[10_000];
            while (in.read(request) > 0) {
                Answer answer = answers.get(random.nextInt(answers.size()));
                answer.give(client, client.getOutputStream(), random);
                if (!answer.goesOn()) {
                    TimeUnit.MILLISECONDS.sleep(random.nextInt(300)); // the client waits, then sees the end
                    return;
                }
            }
        } catch (IOException | InterruptedException e) {
            // the client went away
        }
    }

    private LoadResult run(List<Answer> answers, boolean withResponses) throws IOException, InterruptedException {
        Path script = withResponses ? Files.writeString(folder.resolve("response.lua"), "function response(status, headers, body) end") : null;
        try (ServerSocket socket = new ServerSocket(0, 100, InetAddress.getLoopbackAddress())) {
            Thread.startVirtualThread(() -> serve(socket, answers));
            Settings settings = new Settings(URI.create("http://127.0.0.1:%d/".formatted(socket.getLocalPort())), new Settings.Clients(CONNECTIONS, 2),
                    new Settings.Span(1, 0, 1), new Settings.Rate(400, false, false), new Settings.Content(script, List.of(), null, Map.of()),
                    new Settings.Counting(false, Set.of(), null, 0));
            try (LoadRun run = new LoadRun(settings, new TextReport(new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8)), null, null, () -> {})) {
                LoadResult result = run.run();
                assertEquals(result.plannedRequests(), result.requests() + result.unfinished().inFlight() + result.unfinished().unsent(), 2,
                        "every planned request is answered or reported");
                if (result.requests() == 0) {
                    assertFalse(String.valueOf(result.warning()).contains("itself was late"), "no request, so none was late");
                    assertTrue(run.remarks(result).getFirst().contains("response none, service none"), run.remarks(result)::getFirst);
                }
                return result;
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    @Timeout(60)
    void eachIsBorne(Answer answer) throws Exception {
        long start = System.nanoTime();
        LoadResult result = run(List.of(answer), false);
        assertTrue(Duration.ofNanos(System.nanoTime() - start).toSeconds() < 30, "the run ended");
        assertEquals(answer.goesOn() || answer == Answer.TWICE, result.requests() > 0);
    }

    /** A response is kept for a script's response(), but only up to a limit. */
    @ParameterizedTest
    @EnumSource(names = {"ENDLESS_HEAD", "ENDLESS_INTERIM", "ENDLESS_CHUNKS", "BODY_OF_10_GB"})
    @Timeout(60)
    void aScriptDoesNotHoldWhatNeverEnds(Answer answer) throws Exception {
        assertEquals(0, run(List.of(answer), true).requests());
    }

    @Test
    @Timeout(60)
    void allOfThemAtOnce() throws Exception {
        LoadResult result = run(List.of(Answer.values()), true);
        assertTrue(result.requests() > 0, "those that were sound, seed " + SEED);
    }
}
