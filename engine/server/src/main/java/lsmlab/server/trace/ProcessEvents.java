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
import java.util.concurrent.TimeUnit;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedThread;
import jdk.jfr.consumer.RecordingFile;

/**
 * What kept the process, or one of its threads, from going on: pauses of the collector and other safepoints, waits for monitors, flushes, compactions and stalls
 * from a flight recording of its own, and what a {@link HiccupThread} sees.
 */
public final class ProcessEvents implements AutoCloseable {
    private static final long RECORDING_BYTES = 16 << 20;
    private static final Duration MONITOR_THRESHOLD = Duration.ofMillis(1);
    private static final Map<String, Duration> RECORDED = Map.of("jdk.GCPhasePause", Duration.ZERO, "jdk.ExecuteVMOperation", Duration.ZERO,
            "jdk.JavaMonitorEnter", MONITOR_THRESHOLD, "lsmlab.Flush", Duration.ZERO, "lsmlab.Compaction", Duration.ZERO, "lsmlab.Stall", Duration.ZERO);

    private final Recording recording = new Recording();
    private final HiccupThread hiccups = new HiccupThread();

    /**
     * Something that lasted; flushes and compactions stop nothing themselves.
     *
     * @param kind "GC", "SAFEPOINT", "MONITOR", "FLUSH", "COMPACTION", "STALL", "STOPPED" or "STARVED"
     * @param what the monitor's class, the cause of a stall, and the like; may be empty
     * @param fromNanos of System.nanoTime, as {@code toNanos} is
     * @param thread that could not go on; 0: all of the process
     */
    public record Event(String kind, String what, long fromNanos, long toNanos, long thread) {
        private boolean overlaps(long from, long to) {
            return fromNanos < to && toNanos > from;
        }
    }

    public void start() {
        recording.setName("requests");
        recording.setMaxSize(RECORDING_BYTES);
        RECORDED.forEach((name, threshold) -> recording.enable(name).withThreshold(threshold).withoutStackTrace());
        recording.start();
        hiccups.start();
    }

    /** All that overlap with this span of time, as far as they are kept, in no order. */
    public List<Event> between(long fromNanos, long toNanos) throws IOException {
        List<Event> events = new ArrayList<>();
        hiccups.events().stream().filter(event -> event.overlaps(fromNanos, toNanos)).forEach(events::add);
        Path file = Files.createTempFile("requests", ".jfr");
        try {
            recording.dump(file);
            long epochNanos = epochNanos(Instant.now()) - System.nanoTime();
            try (RecordingFile recorded = new RecordingFile(file)) {
                while (recorded.hasMoreEvents()) {
                    RecordedEvent event = recorded.readEvent();
                    if (RECORDED.containsKey(event.getEventType().getName()) && !isOutsideSafepoints(event)) {
                        Event found = of(event, epochNanos);
                        if (found.overlaps(fromNanos, toNanos)) {
                            events.add(found);
                        }
                    }
                }
            }
        } finally {
            Files.deleteIfExists(file);
        }
        return events;
    }

    /** Operations of the JVM that stop no thread. */
    private static boolean isOutsideSafepoints(RecordedEvent event) {
        return event.hasField("safepoint") && !event.getBoolean("safepoint");
    }

    private static Event of(RecordedEvent event, long epochNanos) {
        long from = epochNanos(event.getStartTime()) - epochNanos;
        long to = from + event.getDuration().toNanos();
        return switch (event.getEventType().getName()) {
            case "jdk.GCPhasePause" -> new Event("GC", event.getString("name"), from, to, 0);
            case "jdk.ExecuteVMOperation" -> new Event("SAFEPOINT", event.getString("operation"), from, to, 0);
            case "jdk.JavaMonitorEnter" -> new Event("MONITOR", event.getClass("monitorClass").getName(), from, to, id(event.getThread()));
            case "lsmlab.Flush" -> new Event("FLUSH", "", from, to, id(event.getThread()));
            case "lsmlab.Compaction" -> new Event("COMPACTION", event.getString("because"), from, to, id(event.getThread()));
            default -> new Event("STALL", event.getString("cause"), from, to, id(event.getThread()));
        };
    }

    private static long id(RecordedThread thread) {
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
