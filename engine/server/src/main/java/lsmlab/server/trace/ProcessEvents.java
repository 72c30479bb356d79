// SPDX-License-Identifier: Apache-2.0
package lsmlab.server.trace;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedThread;
import jdk.jfr.consumer.RecordingFile;

/**
 * What kept the process, or one of its threads, from going on: pauses of the collector and other safepoints, waits for monitors and locks, flushes, compactions and
 * stalls from a flight recording of its own, and what a {@link HiccupThread} sees. The recording also samples what threads do, so that one can see what a request waited for.
 */
public final class ProcessEvents implements AutoCloseable {
    private static final long RECORDING_BYTES = 16 << 20;
    private static final Duration LOCK_THRESHOLD = Duration.ofMillis(1);
    private static final Map<String, Duration> RECORDED = Map.of("jdk.GCPhasePause", Duration.ZERO, "jdk.ExecuteVMOperation", Duration.ZERO, "jdk.JavaMonitorEnter", LOCK_THRESHOLD,
            "jdk.ThreadPark", LOCK_THRESHOLD, "lsmlab.Flush", Duration.ZERO, "lsmlab.Compaction", Duration.ZERO, "lsmlab.Stall", Duration.ZERO);
    /** Of threads in Java code, and of threads in native code. */
    private static final Set<String> SAMPLED = Set.of("jdk.ExecutionSample", "jdk.NativeMethodSample");
    private static final Duration SAMPLE_PERIOD = Duration.ofMillis(20);
    /** Where a thread is parked that waits for a lock; elsewhere it waits for work, for a reply or for its commit group, and the stages of its request say so. */
    private static final String LOCKS = "java.util.concurrent.locks.Reentrant";

    private final Recording recording = new Recording();
    private final HiccupThread hiccups = new HiccupThread();

    /**
     * Something that lasted; flushes and compactions stop nothing themselves.
     *
     * @param kind "GC", "SAFEPOINT", "LOCK", "FLUSH", "COMPACTION", "STALL", "STOPPED" or "STARVED"
     * @param what the class of the lock, the cause of a stall, and the like; may be empty
     * @param fromNanos of System.nanoTime, as {@code toNanos} is
     * @param thread that could not go on; 0: all of the process
     * @param lostNanos for so long: all of that time, except of STARVED, of which only the sum is known
     */
    public record Event(String kind, String what, long fromNanos, long toNanos, long thread, long lostNanos) {
        Event(String kind, String what, long fromNanos, long toNanos, long thread) {
            this(kind, what, fromNanos, toNanos, thread, toNanos - fromNanos);
        }

        private boolean overlaps(long from, long to) {
            return fromNanos < to && toNanos > from;
        }
    }

    /**
     * What happened in a span of time.
     *
     * @param events that overlap with it, in no order
     * @param sinceNanos what was before that is forgotten; System.nanoTime
     */
    public record Found(List<Event> events, StackSamples samples, long sinceNanos) {}

    public void start() {
        recording.setName("requests");
        recording.setMaxSize(RECORDING_BYTES);
        RECORDED.forEach((name, threshold) -> recording.enable(name).withThreshold(threshold).withoutStackTrace());
        SAMPLED.forEach(name -> recording.enable(name).withPeriod(SAMPLE_PERIOD).withStackTrace());
        recording.start();
        hiccups.start();
    }

    /** All of this span of time that is kept. */
    public Found between(long fromNanos, long toNanos) throws IOException {
        List<Event> events = new ArrayList<>();
        StackSamples samples = new StackSamples();
        long since = Long.MAX_VALUE;
        hiccups.events().stream().filter(event -> event.overlaps(fromNanos, toNanos)).forEach(events::add);
        Path file = Files.createTempFile("requests", ".jfr");
        try {
            recording.dump(file);
            long epochNanos = epochNanos(Instant.now()) - System.nanoTime();
            try (RecordingFile recorded = new RecordingFile(file)) {
                while (recorded.hasMoreEvents()) {
                    RecordedEvent event = recorded.readEvent();
                    String name = event.getEventType().getName();
                    long startNanos = epochNanos(event.getStartTime()) - epochNanos;
                    since = Math.min(since, startNanos);
                    if (SAMPLED.contains(name)) {
                        samples.add(event, startNanos, fromNanos, toNanos);
                    } else if (RECORDED.containsKey(name) && stopsAThread(event)) {
                        Event found = of(event, startNanos);
                        if (found.overlaps(fromNanos, toNanos)) {
                            events.add(found);
                        }
                    }
                }
            }
        } finally {
            Files.deleteIfExists(file);
        }
        return new Found(events, samples, since);
    }

    /** Not so operations of the JVM outside of safepoints, and threads that are parked for other reasons than a lock. */
    private static boolean stopsAThread(RecordedEvent event) {
        return switch (event.getEventType().getName()) {
            case "jdk.ExecuteVMOperation" -> event.getBoolean("safepoint");
            case "jdk.ThreadPark" -> event.getClass("parkedClass") != null && event.getClass("parkedClass").getName().startsWith(LOCKS);
            default -> true;
        };
    }

    private static Event of(RecordedEvent event, long from) {
        long to = from + event.getDuration().toNanos();
        return switch (event.getEventType().getName()) {
            case "jdk.GCPhasePause" -> new Event("GC", event.getString("name"), from, to, 0);
            case "jdk.ExecuteVMOperation" -> new Event("SAFEPOINT", event.getString("operation"), from, to, 0);
            case "jdk.JavaMonitorEnter" -> new Event("LOCK", event.getClass("monitorClass").getName(), from, to, id(event.getThread()));
            case "jdk.ThreadPark" -> new Event("LOCK", event.getClass("parkedClass").getName(), from, to, id(event.getThread()));
            case "lsmlab.Flush" -> new Event("FLUSH", "", from, to, id(event.getThread()));
            case "lsmlab.Compaction" -> new Event("COMPACTION", event.getString("because"), from, to, id(event.getThread()));
            default -> new Event("STALL", event.getString("cause"), from, to, id(event.getThread()));
        };
    }

    static long id(RecordedThread thread) {
        return thread == null ? 0 : thread.getJavaThreadId();
    }

    private static long epochNanos(Instant instant) {
        return TimeUnit.SECONDS.toNanos(instant.getEpochSecond()) + instant.getNano();
    }

    @Override
    public void close() {
        hiccups.interrupt();
        recording.close();
    }
}
