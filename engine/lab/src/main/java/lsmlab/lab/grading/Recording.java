// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.grading;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import lsmlab.lab.environment.Json;
import lsmlab.lab.environment.Project;
import lsmlab.lab.measure.Percentiles;
import lsmlab.lab.process.Server;
import lsmlab.lab.process.ServerProcess;
import lsmlab.lab.process.ServerBuilder;

/**
 * What a closed-loop client saw of a server that stood still for a while: request <i>i</i> was due at <i>i</i> intervals.
 *
 * @param sentMicros when each request was sent, since the first was due
 * @param serviceMicros from then to its answer
 */
public record Recording(long intervalMicros, long[] sentMicros, long[] serviceMicros) {
    /** In the jar, so that no submission alters it. */
    private static final String RESOURCE = "stall.json";
    private static final int WARM_UP = 2_000;
    private static final int REQUESTS = 3_000;
    private static final Duration STALL_AFTER = Duration.ofSeconds(2);
    private static final Duration STALL = Duration.ofSeconds(1);

    /** Makes the recording that the assignment uses, with a real server and a pause of one second, and writes it where the next build finds it. */
    public static void main(String[] arguments) throws IOException {
        try (Server server = new ServerBuilder().wal("none").start()) {
            server.put("id", "value");
            for (int i = 0; i < WARM_UP; i++) {
                server.get("id");
            }
            Recording recording;
            try (var _ = ServerProcess.of(server).freeze(STALL_AFTER, STALL)) {
                recording = of(() -> server.get("id"), REQUESTS, Duration.ofMillis(2));
            }
            Path file = Project.root().resolve("engine/lab/src/main/resources/lsmlab/lab/grading").resolve(RESOURCE);
            Json.MAPPER.writeValue(file.toFile(), recording);
            System.out.println(file + ": " + recording);
        }
    }

    /** One request after another, each when it is due or, if that is later, when the answer to the one before is there. */
    private static Recording of(Runnable request, int count, Duration interval) {
        long[] sent = new long[count];
        long[] service = new long[count];
        long start = System.nanoTime();
        for (int i = 0; i < count; i++) {
            long due = start + i * interval.toNanos();
            for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
                LockSupport.parkNanos(left);
            }
            long sentAt = System.nanoTime();
            request.run();
            sent[i] = (sentAt - start) / 1_000;
            service[i] = (System.nanoTime() - sentAt) / 1_000;
        }
        return new Recording(interval.toNanos() / 1_000, sent, service);
    }

    static Recording read() {
        try (InputStream file = Recording.class.getResourceAsStream(RESOURCE)) {
            return Json.MAPPER.readValue(file, Recording.class);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A part of its requests, as if the first of them had been the first of all. */
    Recording part(int from, int count) {
        long start = from * intervalMicros;
        return new Recording(intervalMicros, IntStream.range(from, from + count).mapToLong(i -> sentMicros[i] - start).toArray(),
                Arrays.copyOfRange(serviceMicros, from, from + count));
    }

    @Override
    public String toString() {
        return "%,d requests, one each %.1f ms; the longest took %.1f ms".formatted(
                sentMicros.length, intervalMicros / 1000.0, Percentiles.ms(Percentiles.ascending(serviceMicros), 100));
    }
}
