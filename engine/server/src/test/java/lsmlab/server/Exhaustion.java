// SPDX-License-Identifier: Apache-2.0
package lsmlab.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

/** A server that runs out of something, asked until it takes writes again. */
abstract class Exhaustion {
    @TempDir
    Path data;

    static String answer(Socket socket) throws IOException {
        return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
    }

    static void fill(ServerProcess server, int from, int to) throws Exception {
        String value = "v".repeat(10_000);
        for (int i = from; i < to; i++) {
            assertEquals(201, server.put("/v0/entity?id=key" + i, value).statusCode());
        }
    }

    /** Writes on a new connection and waits at most a second for the answer; returns its status, 0 if there is none. */
    static int put(ServerProcess server, String id) throws IOException {
        try (Socket socket = server.connect()) {
            socket.setSoTimeout(1_000);
            socket.getOutputStream().write(("PUT /v0/entity?id=" + id + " HTTP/1.1\r\nHost: x\r\nContent-Length: 9000\r\nConnection: close\r\n\r\n"
                    + "v".repeat(9_000)).getBytes(StandardCharsets.ISO_8859_1));
            String answer = answer(socket);
            return answer.length() < 12 ? 0 : Integer.parseInt(answer.substring(9, 12));
        }
    }

    static void awaitWrites(ServerProcess server, String after) throws Exception {
        long start = System.nanoTime();
        ServerProcess.await("writes are back", () -> takesWrites(server));
        System.out.printf("%s: writes back after %d ms%n", after, (System.nanoTime() - start) / 1_000_000);
    }

    private static boolean takesWrites(ServerProcess server) {
        try {
            return put(server, "back") == 201;
        } catch (IOException e) {
            return false;
        }
    }
}
