// SPDX-License-Identifier: Apache-2.0
package lsmlab.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;

/** Threads that call a store, each again and again for some time. */
final class Callers {
    private final double seconds;
    private final int recordsEach;
    private final Operation operation;
    private final Histogram times = Answer.times();
    private final List<Throwable> failures = new ArrayList<>();
    private long operations;

    /** What a thread has: its number from 0 on, room for a value that it writes, and for one that it reads. */
    record Caller(int number, byte[] value, Value read) {}

    interface Operation {
        /** @param i from 0 on, for each caller */
        void run(Caller caller, long i) throws Exception;
    }

    private Callers(double seconds, int recordsEach, Operation operation) {
        this.seconds = seconds;
        this.recordsEach = recordsEach;
        this.operation = operation;
    }

    /**
     * Rate and tail.
     *
     * @param recordsEach records of an operation, which the rate counts; the tail is that of operations
     */
    static Map<String, Object> run(int count, double seconds, Data data, int recordsEach, Operation operation) throws InterruptedException {
        Callers callers = new Callers(seconds, recordsEach, operation);
        List<Thread> threads = new ArrayList<>();
        long start = System.nanoTime();
        for (int i = 0; i < count; i++) {
            Caller caller = new Caller(i, data.newValue(), new Value());
            threads.add(Thread.ofPlatform().start(() -> callers.call(caller, start)));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        if (!callers.failures.isEmpty()) {
            throw new IllegalStateException(callers.failures.getFirst());
        }
        return Answer.rate(callers.operations * callers.recordsEach, System.nanoTime() - start, callers.times);
    }

    private void call(Caller caller, long start) {
        Histogram own = Answer.times();
        try {
            long i = 0;
            for (long before = System.nanoTime(); before - start < seconds * 1e9; i++) {
                operation.run(caller, i);
                long after = System.nanoTime();
                own.recordValue(after - before);
                before = after;
            }
            synchronized (this) {
                operations += i;
                times.add(own);
            }
        } catch (Exception | Error e) {
            synchronized (this) {
                failures.add(e);
            }
        }
    }
}
