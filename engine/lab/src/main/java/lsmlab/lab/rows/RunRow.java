// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.rows;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import java.math.MathContext;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.zip.DataFormatException;
import lsmlab.lab.environment.Json;
import lsmlab.lab.environment.Text;
import lsmlab.lab.measure.Run;
import org.HdrHistogram.AbstractHistogram;
import org.HdrHistogram.Histogram;

/**
 * A run as a row keeps it: latencies and intervals are one compressed string, numbers in it have six digits, histograms are one percent wide. Percentiles
 * were computed before.
 */
final class RunRow {
    private static final List<String> BULKY = List.of("response", "responseByStatus", "service", "sendLag", "intervals", "targetCpu");
    /** The field of a row, or of a run's result, that holds others as compressed JSON. */
    static final String PACKED = "packed";
    private static final MathContext SIX_DIGITS = new MathContext(6);
    private static final int HISTOGRAM_DIGITS = 2;

    private RunRow() {}

    static ObjectNode of(Run run) {
        ObjectNode row = Json.MAPPER.valueToTree(run);
        ObjectNode result = (ObjectNode) row.get("result");
        ObjectNode bulky = Json.MAPPER.createObjectNode();
        BULKY.forEach(name -> bulky.set(name, smaller(result.remove(name))));
        return pack(row, bulky);
    }

    /** One of many rounds: only its response times. */
    static ObjectNode brief(Run run) {
        ObjectNode row = Json.MAPPER.valueToTree(run);
        ObjectNode result = (ObjectNode) row.get("result");
        ObjectNode bulky = Json.MAPPER.createObjectNode();
        bulky.set("response", smaller(result.get("response")));
        result.remove(BULKY);
        return pack(row, bulky);
    }

    private static ObjectNode pack(ObjectNode row, ObjectNode bulky) {
        ((ObjectNode) row.get("result")).put(PACKED, Text.packed(bulky.toString()));
        return row;
    }

    /** Puts fields that are packed where they belong; does nothing where none are, as in older rows. */
    static ObjectNode unpack(ObjectNode object) throws JsonProcessingException {
        if (object.has(PACKED)) {
            object.setAll((ObjectNode) Json.MAPPER.readTree(Text.unpacked(object.remove(PACKED).asText())));
        }
        return object;
    }

    static Run read(ObjectNode row) throws JsonProcessingException {
        unpack((ObjectNode) row.get("result"));
        return Json.MAPPER.treeToValue(row, Run.class);
    }

    /** The same with numbers of six digits and histograms one percent wide; changes the value itself. */
    static JsonNode smaller(JsonNode value) {
        switch (value) {
            case ObjectNode object -> object.properties().forEach(part -> part.setValue(
                    part.getKey().equals("histogram") && part.getValue().isTextual() ? object.textNode(encoded(decoded(part.getValue().asText()))) : smaller(part.getValue())));
            case ArrayNode array -> {
                for (int i = 0; i < array.size(); i++) {
                    array.set(i, smaller(array.get(i)));
                }
            }
            case JsonNode number when number.isDouble() && Double.isFinite(number.asDouble()) -> {
                return Json.MAPPER.getNodeFactory().numberNode(new BigDecimal(number.asDouble()).round(SIX_DIGITS).doubleValue());
            }
            default -> {}
        }
        return value;
    }

    /** What {@link #encoded} made. */
    static Histogram decoded(String histogram) {
        try {
            return Histogram.decodeFromCompressedByteBuffer(ByteBuffer.wrap(Base64.getDecoder().decode(histogram)), 0);
        } catch (DataFormatException e) {
            throw new IllegalStateException("the row's histogram can't be read", e);
        }
    }

    /** One percent wide, HdrHistogram V2, compressed, base64. */
    static String encoded(AbstractHistogram fine) {
        Histogram histogram = new Histogram(HISTOGRAM_DIGITS);
        fine.recordedValues().forEach(value -> histogram.recordValueWithCount(value.getValueIteratedTo(), value.getCountAtValueIteratedTo()));
        ByteBuffer buffer = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
        int length = histogram.encodeIntoCompressedByteBuffer(buffer);
        return Base64.getEncoder().encodeToString(Arrays.copyOf(buffer.array(), length));
    }
}
