// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.show;

import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import lsmlab.lab.autopsy.Autopsy;
import lsmlab.lab.autopsy.Cause;
import lsmlab.lab.autopsy.Part;
import lsmlab.lab.autopsy.SlowRequest;
import lsmlab.lab.environment.Text;
import lsmlab.lab.measure.Curve;
import lsmlab.lab.notebook.Frame;
import lsmlab.lab.notebook.Shown;
import lsmlab.lab.notebook.Together;
import lsmlab.lab.process.ServerTrace;

/**
 * An autopsy as an interactive page: bars of the slowest requests beside typical ones, a chosen request on its own axis of time with what happened around it, and the percentile curve
 * without a cause. The page is autopsy.html beside this class; here are its data.
 */
final class AutopsyPage {
    private static final int HEIGHT_PIXELS = 860;
    /** Bars of each kind: more would be narrower than a finger. */
    private static final int MOST_BARS = 200;
    private static final int MOST_EVENTS = 12; // of a kind
    private static final Set<String> OF_A_THREAD = Set.of("STARVED", "LOCK");
    private static final double MICROS = 1_000;

    private AutopsyPage() {}

    /** The page, and below it flame graphs: what the threads did that the slowest requests waited for, and what all did. */
    static Shown of(Autopsy autopsy) {
        String text = Tables.of(autopsy).toString();
        Frame page = new Frame("autopsy", "Autopsy", autopsy.label(), HEIGHT_PIXELS, Pages.filled("autopsy.html", data(autopsy)), text);
        return new Together(text, List.of(page, FlameGraphs.of(autopsy.waitedFor(), Autopsy.SAMPLES), FlameGraphs.of(autopsy.everything(), Autopsy.SAMPLES)));
    }

    private static Map<String, Object> data(Autopsy autopsy) {
        Map<String, Object> data = new LinkedHashMap<>();
        data.put("label", autopsy.label());
        data.put("sentence", autopsy.toString());
        data.put("note", autopsy.note());
        Map<Cause, Double> slowest = autopsy.causes();
        Map<Cause, Double> typical = autopsy.typicalCauses();
        data.put("causes", Arrays.stream(Cause.values()).map(cause -> cause(autopsy, cause, slowest.getOrDefault(cause, 0.0), typical.getOrDefault(cause, 0.0))).toList());
        data.put("slowest", drawn(autopsy.slowest(), autopsy.events()));
        data.put("typical", drawn(autopsy.typical(), autopsy.events()));
        data.put("measured", autopsy.slowest().isEmpty() ? List.of() : points(autopsy.measured()));
        return data;
    }

    private static Map<String, Object> cause(Autopsy autopsy, Cause cause, double slowest, double typical) {
        Map<String, Object> data = new LinkedHashMap<>();
        data.put("words", cause.words());
        data.put("meaning", cause.meaning());
        data.put("color", Hue.of(cause).color());
        data.put("slowest", slowest);
        data.put("typical", typical);
        data.put("without", slowest == 0 ? List.of() : points(autopsy.without(cause)));
        return data;
    }

    private static List<List<Double>> points(Curve curve) {
        return curve.points().stream().map(point -> List.of(round(point.inverse()), round(point.ms()))).toList();
    }

    private static double round(double value) {
        return Double.parseDouble(String.format(Locale.ROOT, "%.4g", value));
    }

    private static List<Map<String, Object>> drawn(List<SlowRequest> requests, List<ServerTrace.Event> events) {
        List<SlowRequest> ordered = requests.stream().sorted((a, b) -> Double.compare(b.responseMs(), a.responseMs())).toList();
        return SlowRequest.evenly(ordered, MOST_BARS).mapToObj(place -> request(place + 1, ordered.get(place), events)).toList();
    }

    private static Map<String, Object> request(int rank, SlowRequest request, List<ServerTrace.Event> events) {
        Map<String, Object> data = request(request);
        data.put("rank", rank);
        data.put("events", around(request, events).map(event -> event(event, request.request().dueNanos())).toList());
        return data;
    }

    /** As request.js draws it, without what happened around it. */
    static Map<String, Object> request(SlowRequest request) {
        Map<String, Object> data = new LinkedHashMap<>();
        long due = request.request().dueNanos();
        data.put("status", request.request().status());
        data.put("micros", micros(due, request.request().receivedNanos()));
        data.put("parts", request.parts().stream().map(part -> part(part, due)).toList());
        return data;
    }

    /** What happened meanwhile, the longest of each kind; of single threads only what happened to those that had the request. */
    private static Stream<ServerTrace.Event> around(SlowRequest request, List<ServerTrace.Event> events) {
        Set<Long> threads = request.parts().stream().map(Part::thread).collect(Collectors.toSet());
        Map<String, List<ServerTrace.Event>> kinds = events.stream().filter(event -> event.fromNanos() < request.request().receivedNanos() && event.toNanos() > request.request().dueNanos())
                .filter(event -> !OF_A_THREAD.contains(event.kind()) || threads.contains(event.thread())).collect(Collectors.groupingBy(ServerTrace.Event::kind));
        return kinds.values().stream().flatMap(same -> same.stream().sorted(Comparator.comparingLong(event -> event.fromNanos() - event.toNanos())).limit(MOST_EVENTS));
    }

    private static List<Object> part(Part part, long due) {
        return List.of(part.cause().ordinal(), part.detail(), micros(due, part.fromNanos()), micros(due, part.toNanos()));
    }

    private static List<Object> event(ServerTrace.Event event, long due) {
        return List.of(event.kind(), what(event), Hue.ofEvent(event.kind()).color(), micros(due, event.fromNanos()), micros(due, event.toNanos()));
    }

    /** What it was; where not all of the time was lost, how much of it. */
    private static String what(ServerTrace.Event event) {
        return event.lostNanos() < event.toNanos() - event.fromNanos() ? "%s of it lost".formatted(Text.ms(event.lostNanos() / 1e6)) : event.what();
    }

    private static double micros(long from, long to) {
        return Math.round(10 * (to - from) / MICROS) / 10.0;
    }
}
