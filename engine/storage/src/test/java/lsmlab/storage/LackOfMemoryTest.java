// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import static lsmlab.storage.Bytes.of;
import static lsmlab.storage.Bytes.text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import lsmlab.storage.disk.Disk;
import lsmlab.storage.options.Options;
import lsmlab.storage.options.Wal;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Memory runs out at each call of the disk in turn, once. Nothing that was acknowledged is lost, and the store goes on. */
class LackOfMemoryTest {
    private static final Options OPTIONS = Options.defaults().withFlushThresholdBytes(2 << 10).withWal(Wal.SYNC);
    private static final int WRITES = 60;
    private static final int LEAST_CALLS = 200;
    private static final long LONGEST_NANOS = 10_000_000_000L;
    private static final long PAUSE_NANOS = 1_000_000;
    private static final String VALUE = "v".repeat(100);
    private static final Set<String> NOT_COUNTED = Set.of("close", "path", "length");

    enum Moment { BEFORE, AFTER }

    @ParameterizedTest
    @EnumSource
    void atEachCall(Moment moment) throws Exception {
        int calls = 0;
        boolean ranOut = true;
        for (; ranOut; calls++) {
            ranOut = new Attempt(moment, calls).ranOut();
        }
        assertTrue(calls > LEAST_CALLS, calls + " calls of the disk");
    }

    /** A store on a disk one of whose calls ends for want of memory. */
    private static final class Attempt {
        private final MemoryDisk sound = new MemoryDisk();
        private final Moment moment;
        private final String name;
        private int callsLeft;
        private volatile String failed;

        Attempt(Moment moment, int calls) {
            this.moment = moment;
            name = "call %d, %s ".formatted(calls, moment);
            callsLeft = calls;
        }

        /** False if the disk was called less often. */
        boolean ranOut() throws Exception {
            Disk disk = around(Disk.class, sound);
            try (Engine engine = repeated(() -> Engine.open(disk, OPTIONS))) {
                for (int i = 0; i < WRITES; i++) {
                    String key = "key" + i;
                    repeated(() -> {
                        engine.put(of(key), of(VALUE));
                        return null;
                    });
                }
                check(engine);
                repeated(() -> {
                    engine.compact();
                    return null;
                });
                check(engine);
                for (MemoryDisk.Crash crash : MemoryDisk.Crash.values()) {
                    try (Engine again = Engine.open(sound.after(crash, new Random(1)), OPTIONS)) {
                        check(again);
                    }
                }
            }
            return failed != null;
        }

        /** Refused for a moment, for want of memory: flushes are tried again after a pause. */
        private <T> T repeated(Callable<T> work) throws Exception {
            long deadline = System.nanoTime() + LONGEST_NANOS;
            while (true) {
                try {
                    return work.call();
                } catch (WriteRefusedException | IOException | OutOfMemoryError e) {
                    if (failed == null || System.nanoTime() > deadline) {
                        throw new AssertionError(name + failed, e);
                    }
                    LockSupport.parkNanos(PAUSE_NANOS);
                }
            }
        }

        private void check(Engine engine) {
            for (int i = 0; i < WRITES; i++) {
                assertEquals(VALUE, text(engine.get(of("key" + i))), name + failed);
            }
        }

        private <T> T around(Class<T> type, T real) {
            return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (_, method, arguments) -> call(real, method, arguments)));
        }

        private Object call(Object real, Method method, Object[] arguments) throws Throwable {
            boolean fails = runsOutNow(method, arguments);
            if (fails && moment == Moment.BEFORE) {
                throw new OutOfMemoryError("on purpose");
            }
            try {
                Object result = method.invoke(real, arguments);
                if (fails) {
                    throw new OutOfMemoryError("on purpose");
                }
                return result instanceof Disk.Output output ? around(Disk.Output.class, output) : result;
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        }

        private synchronized boolean runsOutNow(Method method, Object[] arguments) {
            boolean now = !NOT_COUNTED.contains(method.getName()) && callsLeft-- == 0;
            if (now) {
                failed = method.getName() + Arrays.toString(arguments);
            }
            return now;
        }
    }
}
