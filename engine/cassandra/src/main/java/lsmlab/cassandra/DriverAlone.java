// SPDX-License-Identifier: Apache-2.0
package lsmlab.cassandra;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/**
 * The driver without a facade, for {@code scripts/bench facade}: {@code DriverAlone HOST:PORT RATE SECONDS RECORDS}. For each line of its input it reads random keys at
 * QUORUM at that rate, and then prints the processor time that a request took, in microseconds. The time that keeping the rate takes is measured without requests, and taken off.
 */
final class DriverAlone {
    private static final Duration TIMEOUT = Duration.ofSeconds(1);

    private final CqlSession session;
    private final PreparedStatement get;
    private final int perSecond;
    private final int seconds;
    private final int records;

    private DriverAlone(CqlSession session, int perSecond, int seconds, int records) {
        this.session = session;
        this.perSecond = perSecond;
        this.seconds = seconds;
        this.records = records;
        get = session.prepare(Schema.SELECT);
    }

    public static void main(String[] arguments) throws IOException {
        InetSocketAddress contact = new Address().convert(arguments[0]);
        try (CqlSession session = Sessions.open(List.of(contact), TIMEOUT, null); BufferedReader in = new BufferedReader(new InputStreamReader(System.in))) {
            DriverAlone driver = new DriverAlone(session, Integer.parseInt(arguments[1]), Integer.parseInt(arguments[2]), Integer.parseInt(arguments[3]));
            while (in.readLine() != null) {
                double requests = driver.micros(driver::read);
                double pace = driver.micros(() -> CompletableFuture.completedFuture(null));
                System.out.printf(Locale.ROOT, "%.3f%n", requests - pace);
            }
        }
    }

    private CompletionStage<?> read() {
        return session.executeAsync(get.bind("keyNumber" + ThreadLocalRandom.current().nextInt(records)).setConsistencyLevel(Consistency.QUORUM.level));
    }

    /** Processor time of this process for each request. */
    private double micros(Supplier<CompletionStage<?>> request) {
        int count = perSecond * seconds;
        long cpu = cpuNanos();
        long begin = System.nanoTime();
        List<CompletableFuture<?>> underWay = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            long due = begin + i * TimeUnit.SECONDS.toNanos(1) / perSecond;
            for (long now = System.nanoTime(); now < due; now = System.nanoTime()) {
                LockSupport.parkNanos(due - now);
            }
            underWay.add(request.get().toCompletableFuture());
        }
        underWay.forEach(CompletableFuture::join);
        return (cpuNanos() - cpu) / 1e3 / count;
    }

    private static long cpuNanos() {
        return ProcessHandle.current().info().totalCpuDuration().orElseThrow().toNanos();
    }
}
