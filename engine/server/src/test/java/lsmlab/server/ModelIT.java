// SPDX-License-Identifier: Apache-2.0
package lsmlab.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Sends pipelined requests, good ones in many spellings and malformed ones, and compares each answer with a model of the contract and of the
 * store. A failure names the seed; {@code -Dlsmlab.requests=N} and {@code -Dlsmlab.seed=N} set how many and from which one on.
 */
class ModelIT {
    private static final int REQUESTS = Integer.getInteger("lsmlab.requests", ServerProcess.ALL_TESTS ? 50_000 : 5_000); // for each kind of workers
    private static final int FIRST_SEED = Integer.getInteger("lsmlab.seed", 0);
    private static final int CLIENTS = 4;

    @TempDir
    Path data;

    @ParameterizedTest
    @ValueSource(strings = {"sync", "pool", "virtual"})
    void everyRequestIsAnsweredAsTheModelSays(String workers) throws Exception {
        try (ServerProcess server = new ServerProcess(data, "--workers", workers, "--max-body", ModelClient.MAX_BODY_BYTES + "", "--flush-threshold", "1MB");
                ExecutorService threads = Executors.newFixedThreadPool(CLIENTS)) {
            List<Future<Integer>> clients = new ArrayList<>();
            for (int number = 0; number < CLIENTS; number++) {
                ModelClient client = new ModelClient(server, number);
                int first = FIRST_SEED + number;
                clients.add(threads.submit(() -> {
                    int sent = 0;
                    for (int seed = first; sent < REQUESTS / CLIENTS; seed += CLIENTS) {
                        sent += client.converse(seed);
                    }
                    return sent;
                }));
            }
            int sent = 0;
            for (Future<Integer> client : clients) {
                sent += client.get();
            }
            System.out.printf("%d requests, workers %s, from seed %d: each was answered as the model says%n", sent, workers, FIRST_SEED);
            assertEquals(0, server.stat("/http/answersByStatus/500"));
            assertEquals(0, server.terminate());
            assertEquals("", server.output(), "nothing unexpected was printed");
        }
    }
}
