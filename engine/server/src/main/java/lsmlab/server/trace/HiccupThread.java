// SPDX-License-Identifier: Apache-2.0
package lsmlab.server.trace;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import lsmlab.server.trace.ProcessEvents.Event;

/**
 * Notices when the process was stopped, or when its threads waited for a processor. It sleeps for a short time, again and again; while it oversleeps by
 * milliseconds, the process was stopped or this thread had no processor. On Linux it also asks which of the threads that serve requests had none.
 */
final class HiccupThread extends Thread {
    private static final long SLEEP_NANOS = TimeUnit.MILLISECONDS.toNanos(8);
    private static final long OVERSLEPT_NANOS = TimeUnit.MILLISECONDS.toNanos(2);
    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);
    /** A thread was starved if it waited longer than this for a processor between two looks. */
    private static final long STARVED_NANOS = TimeUnit.MILLISECONDS.toNanos(2);
    /** If this thread waited for a processor during more than this share of its oversleep, it was starved, and the process was not stopped. */
    private static final double STARVED_SHARE = 0.5;
    /** To ask for more would take more than a hundredth of a core. */
    private static final int MOST_SERVING = 16;
    private static final int MOST_EVENTS = 20_000;
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static final Path TASKS = Path.of("/proc/self/task");
    private static final String SERVING = "(NIO Selector|worker-|peer-worker-).*";
    private static final long AMBIGUOUS = -1;
    /** Linux cuts the names of threads off here. */
    private static final int NAME_LETTERS = 15;

    private record Served(long thread, ProcessorWait waits) {}

    private final Deque<Event> events = new ArrayDeque<>(); // GUARDED BY this; the newest last
    private final Map<Path, Served> serving = new HashMap<>();
    private ProcessorWait own; // null where the system does not say
    private long lookedNanos = System.nanoTime() - LOOK_NANOS;
    private long started; // threads of this JVM, when it last looked

    HiccupThread() {
        super("hiccups");
        setDaemon(true);
    }

    synchronized List<Event> events() {
        return new ArrayList<>(events);
    }

    @Override
    public void run() {
        try {
            own = new ProcessorWait(Path.of("/proc/thread-self"));
        } catch (IOException e) {
            own = null;
        }
        try {
            for (long before = System.nanoTime();;) {
                TimeUnit.NANOSECONDS.sleep(SLEEP_NANOS);
                long now = System.nanoTime();
                look(before, now);
                before = now;
            }
        } catch (InterruptedException e) {
            // closed
        } finally {
            serving.values().forEach(served -> served.waits.close());
        }
    }

    private void look(long before, long now) {
        long due = before + SLEEP_NANOS;
        boolean starved = own != null && own.sinceLast() > STARVED_SHARE * (now - due); // by the threads that serve, perhaps, which then go on
        if (now - due > OVERSLEPT_NANOS && !starved) {
            add(new Event("STOPPED", own == null ? "stopped, or without a processor" : "", due, now, 0));
        }
        for (Served served : serving.values()) {
            long waited = served.waits.sinceLast();
            if (waited > STARVED_NANOS) {
                add(new Event("STARVED", "", before, now, served.thread, waited));
            }
        }
        if (own != null && now - lookedNanos > LOOK_NANOS) {
            lookedNanos = now;
            if (THREADS.getTotalStartedThreadCount() != started) {
                started = THREADS.getTotalStartedThreadCount();
                findServing();
            }
        }
    }

    private synchronized void add(Event event) {
        if (events.size() == MOST_EVENTS) {
            events.removeFirst();
        }
        events.add(event);
    }

    private void findServing() {
        Map<String, Long> ids = new HashMap<>(Stream.of(THREADS.getThreadInfo(THREADS.getAllThreadIds())).filter(Objects::nonNull)
                .collect(Collectors.toMap(HiccupThread::shortName, ThreadInfo::getThreadId, (_, _) -> AMBIGUOUS)));
        ids.values().removeIf(id -> id == AMBIGUOUS); // threads whose names differ beyond what Linux keeps
        try (DirectoryStream<Path> tasks = Files.newDirectoryStream(TASKS)) {
            for (Path task : tasks) {
                String name = serving.containsKey(task) ? "" : Files.readString(task.resolve("comm")).strip();
                if (name.matches(SERVING) && ids.containsKey(name) && serving.size() < MOST_SERVING) {
                    serving.put(task, new Served(ids.get(name), new ProcessorWait(task)));
                }
            }
        } catch (IOException | DirectoryIteratorException e) {
            started = 0; // a thread ended meanwhile: the next look finds the others
        }
    }

    private static String shortName(ThreadInfo thread) {
        String name = thread.getThreadName();
        return name.substring(0, Math.min(NAME_LETTERS, name.length()));
    }
}
