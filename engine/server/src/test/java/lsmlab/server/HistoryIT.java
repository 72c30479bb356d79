// SPDX-License-Identifier: Apache-2.0
package lsmlab.server;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Checks README's promise for reads by a majority: a read finds the last write that was acknowledged before it began, or a later one. Meanwhile
 * nodes are stopped, killed and restarted, and clocks are set: by minutes, and one at a time by days. {@code -Dlsmlab.operations=N} and
 * {@code -Dlsmlab.seed=N} set how many operations and which disturbances.
 */
class HistoryIT extends Nodes {
    private static final int OPERATIONS = Integer.getInteger("lsmlab.operations", ServerProcess.ALL_TESTS ? 50_000 : 4_000);
    private static final long SEED = Long.getLong("lsmlab.seed", 1);
    private static final int NODES = 3;
    private static final int CLIENTS = 6;
    private static final int KEYS = 6; // at a time
    private static final int OPERATIONS_A_KEY = 200;
    private static final long SOME_MINUTES = Duration.ofMinutes(4).toMillis(); // two nodes are then less than ten minutes apart
    private static final long DAYS = Duration.ofDays(3).toMillis();

    private enum Kind { PUT, DELETE, GET }

    /**
     * What a client did and saw.
     *
     * @param value that was written or found; null: deleted, or not found
     * @param done whether it was answered as carried out; a write that was not may take effect at any time, or never
     */
    private record Operation(Kind kind, String value, long startNanos, long endNanos, boolean done) {
        boolean isWrite() {
            return kind != Kind.GET;
        }

        boolean isBefore(Operation other) {
            return done && endNanos < other.startNanos;
        }
    }

    @Override
    List<String> before(int node) {
        return List.of("env", "JDK_JAVA_OPTIONS=-Dlsmlab.clock=" + clock(node));
    }

    private Path clock(int node) {
        return folder.resolve("clock" + node);
    }

    private void setClock(int node, long offsetMillis) throws IOException {
        Path next = Files.writeString(folder.resolve("next" + node), Long.toString(offsetMillis));
        Files.move(next, clock(node), StandardCopyOption.ATOMIC_MOVE);
    }

    @Test
    void aReadByAMajorityFindsTheLastAcknowledgedWrite() throws Exception {
        for (int node = 0; node < NODES; node++) {
            setClock(node, 0);
        }
        start(NODES, "--peer-timeout", "1s", "--workers", "pool", "--flush-threshold", "16KB");
        List<List<Operation>> histories = IntStream.range(0, OPERATIONS / OPERATIONS_A_KEY + KEYS).<List<Operation>>mapToObj(_ -> new ArrayList<>()).toList();
        AtomicInteger next = new AtomicInteger();
        AtomicInteger disturbances = new AtomicInteger();
        try (ExecutorService threads = Executors.newFixedThreadPool(CLIENTS + 1)) {
            List<Future<?>> clients = new ArrayList<>();
            for (int client = 0; client < CLIENTS; client++) {
                Random random = new Random(SEED * CLIENTS + client);
                clients.add(threads.submit(() -> {
                    for (int i = next.getAndIncrement(); i < OPERATIONS; i = next.getAndIncrement()) {
                        int key = i / (KEYS * OPERATIONS_A_KEY) * KEYS + random.nextInt(KEYS);
                        Operation operation = operate(random, "key" + key, "value" + i);
                        synchronized (histories.get(key)) {
                            histories.get(key).add(operation);
                        }
                    }
                    return null;
                }));
            }
            Future<?> disturber = threads.submit(() -> {
                Random random = new Random(SEED);
                while (next.get() < OPERATIONS) {
                    disturb(random);
                    disturbances.incrementAndGet();
                }
                return null;
            });
            for (Future<?> client : clients) {
                client.get();
            }
            disturber.get();
        }
        System.out.printf("%d disturbances, ", disturbances.get());
        check(histories);
    }

    private static void check(List<List<Operation>> histories) {
        List<Operation> all = histories.stream().flatMap(List::stream).toList();
        long done = all.stream().filter(Operation::done).count();
        System.out.printf("%d operations, %d of them carried out, seed %d%n", all.size(), done, SEED);
        assertTrue(done > OPERATIONS / 10, "at least a tenth of the operations was carried out");
        for (int key = 0; key < histories.size(); key++) {
            List<Operation> history = histories.get(key);
            int number = key;
            history.forEach(read -> check(history, read, () -> "key%d, seed %d".formatted(number, SEED)));
        }
    }

    private Operation operate(Random random, String id, String value) throws InterruptedException {
        ServerProcess node = nodes.get(random.nextInt(NODES));
        int dice = random.nextInt(20);
        Kind kind = dice < 9 ? Kind.PUT : dice < 10 ? Kind.DELETE : Kind.GET;
        long start = System.nanoTime();
        try {
            HttpResponse<String> answer = ServerProcess.http().send(node.request("/v0/entity?id=" + id).timeout(Duration.ofSeconds(3))
                    .method(kind.name(), kind == Kind.PUT ? BodyPublishers.ofString(value) : BodyPublishers.noBody()).build(), BodyHandlers.ofString());
            int status = answer.statusCode();
            String found = kind == Kind.GET ? status == 200 ? answer.body() : null : kind == Kind.PUT ? value : null;
            boolean done = kind == Kind.GET ? status == 200 || status == 404 : status == (kind == Kind.PUT ? 201 : 202);
            return new Operation(kind, found, start, System.nanoTime(), done);
        } catch (IOException e) { // the node is stopped, gone or starting
            TimeUnit.MILLISECONDS.sleep(5);
            return new Operation(kind, kind == Kind.PUT ? value : null, start, System.nanoTime(), false);
        }
    }

    /** Disturbs one node. When this returns, all three run and their clocks are less than ten minutes apart. */
    private void disturb(Random random) throws Exception {
        int node = random.nextInt(NODES);
        switch (random.nextInt(10)) {
            case 0, 1, 2, 3 -> {
                nodes.get(node).pause();
                TimeUnit.MILLISECONDS.sleep(random.nextInt(1_500));
                nodes.get(node).resume();
            }
            case 4, 5 -> setClock(node, someMinutes(random)); // while it runs
            case 6, 7, 8 -> {
                kill(node);
                setClock(node, someMinutes(random));
                restart(node);
            }
            default -> {
                kill(node);
                setClock(node, random.nextBoolean() ? DAYS : -DAYS);
                restart(node);
                TimeUnit.MILLISECONDS.sleep(500 + random.nextInt(500));
                kill(node);
                setClock(node, someMinutes(random));
                restart(node);
            }
        }
        TimeUnit.MILLISECONDS.sleep(random.nextInt(300));
    }

    private static long someMinutes(Random random) {
        return random.nextLong(-SOME_MINUTES, SOME_MINUTES);
    }

    private static void check(List<Operation> history, Operation read, Supplier<String> where) {
        if (read.isWrite() || !read.done) {
            return;
        }
        List<Operation> origins = history.stream().filter(write -> write.isWrite() && Objects.equals(write.value, read.value)).toList();
        List<Operation> overwritten = history.stream().filter(write -> write.isWrite() && write.isBefore(read)).toList();
        boolean neverWritten = read.value == null && overwritten.isEmpty();
        boolean sound = neverWritten || origins.stream().anyMatch(origin -> origin.startNanos < read.endNanos
                && overwritten.stream().noneMatch(later -> origin.isBefore(later)));
        assertTrue(sound, () -> where.get() + ": " + read + " is older than one of\n"
                + overwritten.stream().map(Operation::toString).collect(Collectors.joining("\n")));
    }
}
