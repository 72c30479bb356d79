// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.autopsy;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import lsmlab.lab.process.ServerTrace;
import lsmlab.lab.process.ServerTrace.Sample;
import lsmlab.lab.profile.Profile;
import lsmlab.lab.profile.Samples;

/** Samples of the threads that requests waited for, while they waited for them. */
final class WaitedFor {
    /** The log belongs to whichever thread leads the commit group. */
    private static final Pattern WRITES = Pattern.compile("lsmlab/storage/(WritePath|commit/)");

    private final ServerTrace trace;
    private final boolean[] isOfWrites; // by the number of a stack
    private final TreeMap<Long, List<Sample>> byTime = new TreeMap<>();
    private final Map<Cause, Set<Long>> background = new EnumMap<>(Cause.class); // threads whose work a stall waits for

    WaitedFor(ServerTrace trace) {
        this.trace = trace;
        isOfWrites = new boolean[trace.stacks().size()];
        for (int stack = 0; stack < isOfWrites.length; stack++) {
            isOfWrites[stack] = WRITES.matcher(trace.stacks().get(stack)).find();
        }
        trace.samples().forEach(sample -> byTime.computeIfAbsent(sample.nanos(), _ -> new ArrayList<>()).add(sample));
        background.put(Cause.STALL_FLUSH, threads("FLUSH"));
        background.put(Cause.STALL_COMPACTION, threads("COMPACTION"));
    }

    private Set<Long> threads(String kind) {
        return trace.events().stream().filter(event -> event.kind().equals(kind)).map(ServerTrace.Event::thread).collect(Collectors.toSet());
    }

    /** A sample counts for each request that waited for its thread at that moment. */
    Profile of(String label, List<SlowRequest> requests) {
        Map<Sample, Integer> counts = new HashMap<>();
        requests.stream().flatMap(request -> request.parts().stream()).forEach(part -> {
            Predicate<Sample> isWaitedFor = isWaitedFor(part);
            byTime.subMap(part.fromNanos(), part.toNanos()).values().stream().flatMap(List::stream).filter(isWaitedFor).forEach(sample -> counts.merge(sample, 1, Integer::sum));
        });
        return profile("what the slowest requests waited for, " + label, counts);
    }

    private Predicate<Sample> isWaitedFor(Part part) {
        return switch (part.cause()) {
            case STALL_FLUSH, STALL_COMPACTION -> sample -> background.get(part.cause()).contains(sample.thread());
            case GROUP, LOG, SYNC, THROTTLE -> sample -> isOfWrites[sample.stack()];
            default -> sample -> sample.thread() == part.thread() && part.thread() != Part.NO_THREAD;
        };
    }

    /** All samples of the run. */
    Profile all(String label) {
        return profile("all Java threads, " + label, trace.samples().stream().collect(Collectors.toMap(sample -> sample, _ -> 1, Integer::sum)));
    }

    private Profile profile(String label, Map<Sample, Integer> counts) {
        Map<String, Integer> weights = new TreeMap<>();
        counts.forEach((sample, count) -> weights.merge("[%d];%s".formatted(sample.thread(), trace.stacks().get(sample.stack())), count, Integer::sum));
        String collapsed = weights.entrySet().stream().map(stack -> "%s %d".formatted(stack.getKey(), stack.getValue())).collect(Collectors.joining("\n"));
        return Profile.of(label, Map.of(Autopsy.SAMPLES, Samples.parse(collapsed)));
    }
}
