// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.rows;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import lsmlab.lab.autopsy.Autopsy;
import lsmlab.lab.autopsy.Cause;
import lsmlab.lab.autopsy.Part;
import lsmlab.lab.autopsy.SlowRequest;
import lsmlab.lab.environment.Json;
import lsmlab.lab.process.ServerTrace;
import lsmlab.load.result.TracedRequests.Traced;

/**
 * An autopsy as a row keeps it. Times are nanoseconds after the first of the kept requests was due. A request is a list of the numbers that {@link Traced} has, and of its parts: cause, detail, thread
 * and length of each, one after the other.
 */
final class AutopsyRow {
    private static final int NUMBERS_A_PART = 4;

    private AutopsyRow() {}

    static ObjectNode of(Autopsy autopsy) {
        long begin = Stream.concat(autopsy.slowest().stream(), autopsy.typical().stream()).mapToLong(request -> request.request().dueNanos()).min().orElse(0);
        List<String> details = new ArrayList<>();
        ObjectNode row = Json.MAPPER.createObjectNode().put("label", autopsy.label()).put("tracedOf", autopsy.tracedOf()).put("lost", autopsy.lost()).put("note", autopsy.note());
        row.set("slowest", requests(autopsy.slowest(), begin, details));
        row.set("typical", requests(autopsy.typical(), begin, details));
        putNames(row, details);
        row.set("events", Json.MAPPER.valueToTree(autopsy.events().stream().map(event -> event.later(-begin)).toList()));
        row.set("waitedFor", Json.MAPPER.valueToTree(Results.row(autopsy.waitedFor())));
        row.set("everything", Json.MAPPER.valueToTree(Results.row(autopsy.everything())));
        return row;
    }

    static ArrayNode requests(List<SlowRequest> requests, long begin, List<String> details) {
        ArrayNode all = Json.MAPPER.createArrayNode();
        for (SlowRequest request : requests) {
            Traced traced = request.request();
            ArrayNode numbers = all.addArray().add(traced.thread()).add(traced.port()).add(traced.number()).add(traced.status()).add(traced.dueNanos() - begin).add(traced.freeNanos() - begin)
                    .add(traced.sentNanos() - begin).add(traced.receivedNanos() - begin);
            for (Part part : request.parts()) {
                numbers.add(part.cause().ordinal()).add(place(details, part.detail())).add(part.thread()).add(part.nanos());
            }
        }
        return all;
    }

    /** What the numbers of requests stand for. */
    static void putNames(ObjectNode row, List<String> details) {
        row.set("causes", Json.MAPPER.valueToTree(Cause.values()));
        row.set("details", Json.MAPPER.valueToTree(details));
    }

    private static int place(List<String> details, String detail) {
        if (!details.contains(detail)) {
            details.add(detail);
        }
        return details.indexOf(detail);
    }

    /** @param note how the run was taken: mode and machine */
    static Autopsy read(JsonNode row, String note) throws JsonProcessingException {
        return new Autopsy(row.get("label").asText(), row.get("tracedOf").asLong(), requests(row, "slowest"), requests(row, "typical"), row.get("lost").asLong(),
                all(row.get("events"), ServerTrace.Event.class), Results.profile(row.get("waitedFor"), note), Results.profile(row.get("everything"), note),
                row.get("note").asText());
    }

    static <T> List<T> all(JsonNode values, Class<T> type) throws JsonProcessingException {
        List<T> all = new ArrayList<>();
        for (JsonNode value : values) {
            all.add(Json.MAPPER.treeToValue(value, type));
        }
        return all;
    }

    /** @param name of the row's list of requests */
    static List<SlowRequest> requests(JsonNode row, String name) throws JsonProcessingException {
        List<Cause> causes = all(row.get("causes"), Cause.class);
        List<String> details = all(row.get("details"), String.class);
        List<SlowRequest> requests = new ArrayList<>();
        for (JsonNode numbers : row.get(name)) {
            Traced traced = new Traced(numbers.get(0).asInt(), numbers.get(1).asInt(), numbers.get(2).asInt(), numbers.get(3).asInt(), numbers.get(4).asLong(), numbers.get(5).asLong(),
                    numbers.get(6).asLong(), numbers.get(7).asLong());
            List<Part> parts = new ArrayList<>();
            long at = traced.dueNanos();
            for (int i = 8; i < numbers.size(); i += NUMBERS_A_PART) {
                long until = at + numbers.get(i + 3).asLong();
                parts.add(new Part(causes.get(numbers.get(i).asInt()), details.get(numbers.get(i + 1).asInt()), numbers.get(i + 2).asLong(), at, until));
                at = until;
            }
            requests.add(new SlowRequest(traced, parts));
        }
        return requests;
    }
}
