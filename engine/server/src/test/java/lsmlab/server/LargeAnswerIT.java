// SPDX-License-Identifier: Apache-2.0
package lsmlab.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Answers larger than a socket takes at once, while something else arrives: another request, or the end of what the client has to say. */
class LargeAnswerIT extends Nodes {
    private static final int REQUESTS = Integer.getInteger("lsmlab.requests", ServerProcess.ALL_TESTS ? 3_400 : 250); // for each kind of workers, and of a cluster
    private static final int VALUE_BYTES = 3 << 20;

    @ParameterizedTest
    @ValueSource(strings = {"sync", "pool", "virtual"})
    void arriveInWholeWhateverComesMeanwhile(String workers) throws Exception {
        try (ServerProcess server = new ServerProcess(folder, "--workers", workers, "--wal", "none")) {
            assertEquals(201, server.put("/v0/entity?id=large", "x".repeat(VALUE_BYTES)).statusCode());
            assertEquals(201, server.put("/v0/entity?id=small", "y").statusCode());
            for (int seed = 0; seed < REQUESTS; seed++) {
                ask(server, seed);
            }
            assertEquals(0, server.terminate());
        }
    }

    @Test
    void fromACluster() throws Exception {
        start(3, "--workers", "pool", "--wal", "none");
        assertEquals(201, put(0, "large", "x".repeat(VALUE_BYTES), "&ack=3&from=3").statusCode());
        assertEquals(201, put(0, "small", "y", "&ack=3&from=3").statusCode());
        for (int seed = 0; seed < REQUESTS; seed++) {
            ask(nodes.get(seed % 3), seed);
        }
    }

    private static void ask(ServerProcess server, int seed) throws IOException {
        Random random = new Random(seed);
        boolean range = random.nextInt(4) == 0;
        boolean halfClose = random.nextBoolean();
        String large = range ? "GET /v0/entities?start=large HTTP/1.1\r\nHost: x\r\n\r\n" : "GET /v0/entity?id=large HTTP/1.1\r\nHost: x\r\n\r\n";
        try (Socket socket = server.connect()) {
            socket.getOutputStream().write(large.getBytes(StandardCharsets.US_ASCII));
            LockSupport.parkNanos(random.nextInt(random.nextInt(2_000_000) + 1)); // anywhere in the first answer
            if (halfClose) {
                socket.shutdownOutput();
            } else {
                socket.getOutputStream().write("GET /v0/entity?id=small HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            }
            DataInputStream in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
            byte[] all = in.readAllBytes();
            assertTrue(all.length > VALUE_BYTES, "seed %d, %s: %d bytes came".formatted(seed, large.substring(0, 20), all.length));
            if (!halfClose) {
                assertEquals("\r\n\r\ny", new String(all, all.length - 5, 5, StandardCharsets.US_ASCII), "seed " + seed);
            }
        }
    }
}
