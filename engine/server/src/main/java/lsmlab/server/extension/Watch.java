// SPDX-License-Identifier: Apache-2.0
package lsmlab.server.extension;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * Calls code from outside. When it throws, or does not return in time, the server says where and ends at once: what was
 * measured with it would mean nothing, and a request that never gets an answer explains nothing.
 */
public final class Watch {
    public static final int EXIT_EXTENSION_FAILED = 4;
    private static final long LIMIT_NANOS = 2_000_000_000;
    private static final long LOOK_NANOS = 100_000_000;
    private static final int FRAMES = 3;
    /** These wait for something to do. */
    private static final Set<String> MAY_WAIT = Set.of("take", "poll", "put");

    private record Call(String method, long startNanos) {}

    private final String className;
    private final Map<Thread, Call> running = new ConcurrentHashMap<>();

    Watch(String className) {
        this.className = className;
        Thread.ofPlatform().daemon().name("extension-watch").start(this::look);
    }

    private void look() {
        while (true) {
            LockSupport.parkNanos(LOOK_NANOS);
            running.forEach((thread, call) -> {
                if (System.nanoTime() - call.startNanos() > LIMIT_NANOS) {
                    end(call.method(), "has not returned for %d s".formatted(LIMIT_NANOS / 1_000_000_000), thread.getStackTrace());
                }
            });
        }
    }

    /** An object of the class. A class from a notebook's cell is not public. */
    Object make(Class<?> type, int capacity) {
        return make(type, new Class<?>[] {int.class}, capacity);
    }

    Object make(Class<?> type) {
        return make(type, new Class<?>[0]);
    }

    private Object make(Class<?> type, Class<?>[] parameters, Object... arguments) {
        try {
            Constructor<?> constructor = type.getDeclaredConstructor(parameters);
            constructor.setAccessible(true);
            return constructor.newInstance(arguments);
        } catch (InvocationTargetException e) {
            throw failed("its constructor", e.getCause());
        } catch (ReflectiveOperationException e) {
            throw failed("its constructor", e);
        }
    }

    /** The same object, each call of which is watched. */
    <T> T over(Class<T> part, Object target) {
        InvocationHandler handler = (_, method, arguments) -> {
            boolean timed = !MAY_WAIT.contains(method.getName());
            Thread thread = Thread.currentThread();
            Call outer = timed ? running.put(thread, new Call(method.getName(), System.nanoTime())) : null;
            try {
                return method.invoke(target, arguments);
            } catch (InvocationTargetException e) {
                if (e.getCause() instanceof InterruptedException interrupted) {
                    throw interrupted;
                }
                throw failed(method.getName(), e.getCause());
            } finally {
                if (outer != null) {
                    running.put(thread, outer);
                } else if (timed) {
                    running.remove(thread);
                }
            }
        };
        return part.cast(Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] {part}, handler));
    }

    private IllegalStateException failed(String method, Throwable failure) {
        end(method, "threw " + failure, failure.getStackTrace());
        return new IllegalStateException(failure);
    }

    private void end(String method, String what, StackTraceElement[] stack) {
        System.err.printf("lsm-server: the extension failed: %s.%s %s%n", className, method, what);
        String own = className.substring(0, className.lastIndexOf('.') + 1);
        Stream.of(stack).filter(frame -> frame.getClassName().startsWith(own)).limit(FRAMES).forEach(frame -> System.err.println("    at " + frame));
        Runtime.getRuntime().halt(EXIT_EXTENSION_FAILED);
    }
}
