// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.rows;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import lsmlab.lab.environment.Json;
import lsmlab.lab.process.ServerTrace;
import lsmlab.lab.replay.HeatMap;
import lsmlab.lab.replay.Replay;

/** A replay as a row keeps it: its fields, with requests as {@link AutopsyRow} writes them. */
final class ReplayRow {
    private ReplayRow() {}

    static ObjectNode of(Replay replay) {
        List<String> details = new ArrayList<>();
        ObjectNode row = Json.MAPPER.createObjectNode().put("label", replay.label()).put("sentence", replay.sentence()).put("seconds", replay.seconds())
                .put("flushThresholdBytes", replay.flushThresholdBytes());
        row.set("frames", Json.MAPPER.valueToTree(replay.frames()));
        row.set("events", Json.MAPPER.valueToTree(replay.events()));
        row.set("heat", Json.MAPPER.valueToTree(replay.heat()));
        row.set("requests", AutopsyRow.requests(replay.requests(), 0, details));
        AutopsyRow.putNames(row, details);
        return row;
    }

    /** @param note how the run was taken: mode and machine */
    static Replay read(JsonNode row, String note) throws JsonProcessingException {
        return new Replay(row.get("label").asText(), note, row.get("sentence").asText(), row.get("seconds").asDouble(), row.get("flushThresholdBytes").asLong(),
                AutopsyRow.all(row.get("frames"), ServerTrace.Frame.class), AutopsyRow.all(row.get("events"), ServerTrace.Event.class),
                Json.MAPPER.treeToValue(row.get("heat"), HeatMap.class), AutopsyRow.requests(row, "requests"));
    }
}
