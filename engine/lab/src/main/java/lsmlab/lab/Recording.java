// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab;

import com.fasterxml.jackson.core.type.TypeReference;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;

/**
 * What a closed-loop client saw of a server that stood still for a while: request <i>i</i> was due at <i>i</i> intervals.
 *
 * @param sentMicros when each request was sent, since the first was due
 * @param serviceMicros from then to its answer
 */
public record Recording(long intervalMicros, long[] sentMicros, long[] serviceMicros) {
    private static final String FILE = "data/assignments/stall.json";
    private static final long LONGEST_MICROS = 60_000_000;
    private static final int DIGITS = 3;
    private static final int WARM_UP = 2_000;
    private static final int REQUESTS = 3_000;
    private static final Duration STALL_AFTER = Duration.ofSeconds(2);
    private static final Duration STALL = Duration.ofSeconds(1);

    /** Makes the recording that the assignment uses, with a real server and a pause of one second: {@code java -cp engine/lab/target/lsm-lab.jar lsmlab.lab.Recording}. */
    public static void main(String[] arguments) throws IOException {
        try (Server server = Lab.server().wal("none").start()) {
            server.put("id", "value");
            for (int i = 0; i < WARM_UP; i++) {
                server.get("id");
            }
            Recording recording;
            try (var _ = server.freeze(STALL_AFTER, STALL)) {
                recording = of(() -> server.get("id"), REQUESTS, Duration.ofMillis(2));
            }
            Json.MAPPER.writeValue(Lab.root().resolve(FILE).toFile(), recording);
            System.out.println(FILE + ": " + recording);
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
        return Json.read(Lab.root().resolve(FILE), new TypeReference<>() {});
    }

    /** So many of its requests from one on, as if that had been the first. */
    Recording part(int from, int count) {
        long start = from * intervalMicros;
        return new Recording(intervalMicros, IntStream.range(from, from + count).mapToLong(i -> sentMicros[i] - start).toArray(),
                Arrays.copyOfRange(serviceMicros, from, from + count));
    }

    /** The service times with those that HdrHistogram adds for the requests that were not sent, ascending. */
    public long[] expandedByHdrHistogram() {
        Histogram times = new Histogram(LONGEST_MICROS, DIGITS);
        for (long micros : serviceMicros) {
            times.recordValueWithExpectedInterval(micros, intervalMicros);
        }
        long[] ascending = new long[Math.toIntExact(times.getTotalCount())];
        int next = 0;
        for (var step : times.recordedValues()) {
            Arrays.fill(ascending, next, next + (int) step.getCountAddedInThisIterationStep(), step.getValueIteratedTo());
            next += (int) step.getCountAddedInThisIterationStep();
        }
        return ascending;
    }

    public double serviceP99Ms() {
        return percentile(ascending(serviceMicros), 99);
    }

    public double responseP99Ms() {
        return percentile(IntStream.range(0, sentMicros.length).mapToLong(i -> sentMicros[i] + serviceMicros[i] - i * intervalMicros).sorted().toArray(), 99);
    }

    static long[] ascending(long[] micros) {
        return Arrays.stream(micros).sorted().toArray();
    }

    /** The smallest value that so many of all values do not exceed, in milliseconds. */
    static double percentile(long[] ascendingMicros, double percentile) {
        return ascendingMicros[(int) Math.ceil(ascendingMicros.length * percentile / 100) - 1] / 1000.0;
    }

    @Override
    public String toString() {
        return "%,d requests, one each %.1f ms; the longest took %.1f ms".formatted(
                sentMicros.length, intervalMicros / 1000.0, percentile(ascending(serviceMicros), 100));
    }
}
