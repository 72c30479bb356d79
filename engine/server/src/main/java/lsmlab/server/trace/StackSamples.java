// SPDX-License-Identifier: Apache-2.0
package lsmlab.server.trace;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedMethod;
import jdk.jfr.consumer.RecordedThread;

/** What threads did at some moments. Most stacks are seen again and again: each is kept once. */
public final class StackSamples {
    private final Map<String, Integer> stacks = new LinkedHashMap<>();
    private final List<Sample> samples = new ArrayList<>();

    /**
     * One thread at one moment.
     *
     * @param nanos of System.nanoTime
     * @param stack its number among {@link #stacks}
     */
    public record Sample(long nanos, long thread, int stack) {}

    void add(RecordedEvent event, long nanos, long fromNanos, long toNanos) {
        RecordedThread thread = event.getThread("sampledThread");
        if (nanos >= fromNanos && nanos <= toNanos && thread != null && event.getStackTrace() != null) {
            String stack = event.getStackTrace().getFrames().reversed().stream().map(StackSamples::frame).collect(Collectors.joining(";"));
            Integer number = stacks.putIfAbsent(stack, stacks.size());
            samples.add(new Sample(nanos, ProcessEvents.id(thread), number == null ? stacks.size() - 1 : number));
        }
    }

    /** "lsmlab/storage/Engine.get", as profilers write it. */
    private static String frame(RecordedFrame frame) {
        RecordedMethod method = frame.getMethod();
        if (method == null) {
            return "unknown";
        }
        return method.getType().getName().replace('.', '/') + "." + method.getName();
    }

    /** Root first, frames joined by semicolons. */
    public List<String> stacks() {
        return List.copyOf(stacks.keySet());
    }

    /** In the order of the recording. */
    public List<Sample> samples() {
        return samples;
    }
}
