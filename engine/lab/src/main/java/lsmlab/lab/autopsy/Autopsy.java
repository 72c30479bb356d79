// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.autopsy;

import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import lsmlab.lab.environment.Text;
import lsmlab.lab.measure.Run;
import lsmlab.lab.measure.RunTraces;
import lsmlab.lab.process.ServerTrace;
import lsmlab.load.result.TracedRequests;
import lsmlab.load.result.TracedRequests.Traced;

/**
 * Why the slowest requests of a run were slow: the response time of each is divided into causes without a remainder.
 *
 * @param label the run's
 * @param tracedOf requests of the run
 * @param slowest slowest first
 * @param typical as many, drawn from all
 * @param lost of these, requests that the server had forgotten when it was asked
 */
public record Autopsy(String label, long tracedOf, List<SlowRequest> slowest, List<SlowRequest> typical, long lost) {
    /** Causes that the sentence names at most, what is unexplained apart. */
    private static final int NAMED = 4;
    private static final double LEAST_NAMED = 0.01;

    /** @throws IllegalArgumentException if nothing was kept of the run's requests */
    public static Autopsy of(Run run) {
        RunTraces traces = RunTraces.of(run);
        TracedRequests client = traces.client();
        Attribution attribution = new Attribution(ServerTrace.parse(traces.dump()));
        long lost = Stream.concat(client.slowest().stream(), client.typical().stream()).filter(request -> attribution.served(request) == null).count();
        return new Autopsy(run.label(), client.tracedOf(), divided(client.slowest(), attribution), divided(client.typical(), attribution), lost);
    }

    private static List<SlowRequest> divided(List<Traced> requests, Attribution attribution) {
        return requests.stream().map(request -> new SlowRequest(request, attribution.of(request))).toList();
    }

    /** Shares of the slowest requests' time, largest first; they add up to 1. */
    public Map<Cause, Double> causes() {
        return shares(slowest);
    }

    /** The same of requests drawn from all: where the time of an ordinary one goes. */
    public Map<Cause, Double> typicalCauses() {
        return shares(typical);
    }

    private static Map<Cause, Double> shares(List<SlowRequest> requests) {
        double total = requests.stream().mapToDouble(SlowRequest::responseMs).sum();
        Map<Cause, Double> ms = requests.stream().flatMap(request -> request.parts().stream())
                .collect(Collectors.groupingBy(Part::cause, Collectors.summingDouble(part -> part.nanos() / 1e6)));
        Map<Cause, Double> shares = new LinkedHashMap<>();
        ms.entrySet().stream().sorted(Map.Entry.<Cause, Double>comparingByValue(Comparator.reverseOrder())).forEach(entry -> shares.put(entry.getKey(), entry.getValue() / total));
        return shares;
    }

    /** The share of the slowest requests' time that a cause was found for. */
    public double explained() {
        return 1 - causes().getOrDefault(Cause.UNEXPLAINED, 0.0);
    }

    /** "the slowest 1.0 % (61 requests, 23.0 ms to 180 ms): 71 % stall: flushes behind, 18 % other requests before it, 5 % unexplained". */
    @Override
    public String toString() {
        if (slowest.isEmpty()) {
            return "%s: no request was answered".formatted(label);
        }
        Map<Cause, Double> causes = causes();
        Stream<Map.Entry<Cause, Double>> named = causes.entrySet().stream().filter(entry -> entry.getKey() != Cause.UNEXPLAINED && entry.getValue() >= LEAST_NAMED).limit(NAMED);
        Stream<Map.Entry<Cause, Double>> unexplained = Stream.of(Map.entry(Cause.UNEXPLAINED, causes.getOrDefault(Cause.UNEXPLAINED, 0.0)));
        return "the slowest %s (%s, %s to %s): %s".formatted(Text.percent((double) slowest.size() / tracedOf), Text.plural(slowest.size(), "request"),
                Text.ms(slowest.getLast().responseMs()), Text.ms(slowest.getFirst().responseMs()),
                Stream.concat(named, unexplained).sorted(Map.Entry.comparingByValue(Comparator.reverseOrder()))
                        .map(entry -> "%.0f %% %s".formatted(100 * entry.getValue(), entry.getKey().words())).collect(Collectors.joining(", ")));
    }
}
