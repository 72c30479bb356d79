// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.autopsy;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import lsmlab.lab.environment.Text;
import lsmlab.lab.measure.Curve;
import lsmlab.lab.measure.Run;
import lsmlab.lab.measure.RunTraces;
import lsmlab.lab.process.ServerTrace;
import lsmlab.lab.profile.Profile;
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
 * @param events what the server recorded meanwhile
 * @param waitedFor what the threads did that the slowest requests waited for, event {@link #SAMPLES}
 * @param everything what all threads did
 * @param note what a reader must know of it; empty if there is nothing
 */
public record Autopsy(String label, long tracedOf, List<SlowRequest> slowest, List<SlowRequest> typical, long lost, List<ServerTrace.Event> events, Profile waitedFor, Profile everything,
        String note) {
    /** The event of its profiles: what Java threads did that ran or were in native code, seen every 20 ms. */
    public static final String SAMPLES = "wall";
    /** Causes that the sentence names at most, what is unexplained apart. */
    private static final int NAMED = 4;
    private static final double LEAST_NAMED = 0.01;
    private static final double FORGOTTEN_SECONDS = 1;

    /** @throws IllegalArgumentException if nothing was kept of the run's requests */
    public static Autopsy of(Run run) {
        RunTraces traces = RunTraces.of(run);
        return of(run, traces, traces.server());
    }

    /** The same where the server's part was read already. */
    public static Autopsy of(Run run, RunTraces traces, ServerTrace trace) {
        TracedRequests client = traces.client(trace);
        Attribution attribution = new Attribution(trace, client.pauses());
        long lost = Stream.concat(client.slowest().stream(), client.typical().stream()).filter(request -> attribution.served(request) == null).count();
        List<SlowRequest> slowest = divided(client.slowest(), attribution);
        WaitedFor samples = new WaitedFor(trace);
        return new Autopsy(run.label(), client.tracedOf(), slowest, divided(client.typical(), attribution), lost, trace.events(), samples.of(run.label(), slowest),
                samples.all(run.label()), note(traces, trace, client));
    }

    private static String note(RunTraces traces, ServerTrace trace, TracedRequests client) {
        List<String> notes = new ArrayList<>();
        if (traces.isServerAlone()) {
            notes.add("seen by the server alone: the load generator does not say when it sent its requests");
        }
        double forgotten = (trace.eventsSinceNanos() - client.beginNanos()) / 1e9;
        if (forgotten > FORGOTTEN_SECONDS) {
            notes.add("pauses, stalls and samples of the first %.0f s are not known any more".formatted(forgotten));
        }
        return String.join("; ", notes);
    }

    private static List<SlowRequest> divided(List<Traced> requests, Attribution attribution) {
        return requests.stream().map(request -> new SlowRequest(request, attribution.of(request))).toList();
    }

    /** One of the slowest, 1 for the slowest of all. */
    public SlowRequest request(int rank) {
        if (rank < 1 || rank > slowest.size()) {
            throw new IllegalArgumentException("request(%d): it takes 1, the slowest, to %d".formatted(rank, slowest.size()));
        }
        return slowest.get(rank - 1);
    }

    /** The percentile curve as it would be if no request had waited for this: an estimate, to be checked by really taking the cause away. */
    public Curve without(Cause cause) {
        return WithoutCause.of("%s, without %s (estimate)".formatted(label, cause.words()), cause, tracedOf, slowest, typical);
    }

    /** The same with all causes, from the same requests. */
    public Curve measured() {
        return WithoutCause.of(label, null, tracedOf, slowest, typical);
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
        return "the slowest %s (%s, %s to %s%s): %s".formatted(Text.percent((double) slowest.size() / tracedOf), Text.plural(slowest.size(), "request"),
                Text.ms(slowest.getLast().responseMs()), Text.ms(slowest.getFirst().responseMs()),
                lost == 0 ? "" : "; the server no longer knew %s of these and of the typical ones".formatted(Text.count(lost)),
                Stream.concat(named, unexplained).sorted(Map.Entry.comparingByValue(Comparator.reverseOrder()))
                        .map(entry -> "%.0f %% %s".formatted(100 * entry.getValue(), words(entry.getKey()))).collect(Collectors.joining(", ")));
    }

    /** The cause, and which one: the node or the lock that most of it was. */
    private String words(Cause cause) {
        Map<String, Long> byDetail = slowest.stream().flatMap(request -> request.parts().stream()).filter(part -> part.cause() == cause && cause.isOneOfSeveral())
                .collect(Collectors.groupingBy(Part::detail, Collectors.summingLong(Part::nanos)));
        return cause.words() + byDetail.entrySet().stream().max(Map.Entry.comparingByValue()).map(most -> " (%s)".formatted(most.getKey())).orElse("");
    }
}
