// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.grading;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.stream.Stream;
import lsmlab.lab.environment.Json;
import lsmlab.lab.environment.Text;

/**
 * A recorded run: its slowest requests, as many ordinary ones, and what happened meanwhile. Times are milliseconds since the run began.
 *
 * @param slow the slowest requests, slowest first; at most 60
 * @param ordinary as many, drawn at random from all
 * @param events of the server and of the load generator, by their beginning; they may overlap
 */
public record Tail(List<Request> slow, List<Request> ordinary, List<Event> events) {
    private static final String RESOURCE = "tails.json";

    /**
     * One request.
     *
     * @param dueMs when it should have been sent: its response time begins here
     * @param arrivedMs when the server turned to it
     * @param writtenMs when the server had written its answer
     * @param receivedMs when the client had the answer
     */
    public record Request(double dueMs, double sentMs, double arrivedMs, double writtenMs, double receivedMs) {
        Request earlier(double ms) {
            return new Request(dueMs - ms, sentMs - ms, arrivedMs - ms, writtenMs - ms, receivedMs - ms);
        }
    }

    /** One event, as "flush" or "process stopped". */
    public record Event(String what, double fromMs, double toMs) {
        Event earlier(double ms) {
            return new Event(what, fromMs - ms, toMs - ms);
        }
    }

    /** All recordings; they are in the jar, so that no submission alters them. What caused them is not: the teacher's tests know it. */
    static List<Tail> recordings() {
        try (InputStream file = Tail.class.getResourceAsStream(RESOURCE)) {
            return List.of(Json.MAPPER.readValue(file, Tail[].class));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Tail earlier(double ms) {
        return new Tail(slow.stream().map(request -> request.earlier(ms)).toList(), ordinary.stream().map(request -> request.earlier(ms)).toList(),
                events.stream().map(event -> event.earlier(ms)).toList());
    }

    @Override
    public String toString() {
        return "%s slow requests, %s ordinary ones, and %s: %s".formatted(Text.count(slow.size()), Text.count(ordinary.size()), Text.plural(events.size(), "event"),
                String.join(", ", kinds().toList()));
    }

    private Stream<String> kinds() {
        return events.stream().map(Event::what).distinct().sorted().map(what -> "%d of \"%s\"".formatted(events.stream().filter(event -> event.what.equals(what)).count(), what));
    }
}
