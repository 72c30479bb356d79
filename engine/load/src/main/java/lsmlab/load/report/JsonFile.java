// SPDX-License-Identifier: Apache-2.0
package lsmlab.load.report;

import com.fasterxml.jackson.core.JsonEncoding;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Writes what {@code --json} asks for: records, lists and maps of numbers, strings and booleans. Not by Jackson's databind, whose classes
 * take 0.09 s to load, at the end of each run.
 */
public final class JsonFile {
    private JsonFile() {}

    /** The fields of all parts, as one object. */
    public static void write(Path file, Record... parts) throws IOException {
        Map<String, Object> all = new LinkedHashMap<>();
        for (Record part : parts) {
            all.putAll(fields(part));
        }
        try (JsonGenerator out = new JsonFactory().createGenerator(file.toFile(), JsonEncoding.UTF8).useDefaultPrettyPrinter()) {
            write(out, all);
        }
    }

    private static Map<String, Object> fields(Record object) {
        Map<String, Object> fields = new LinkedHashMap<>();
        for (RecordComponent component : object.getClass().getRecordComponents()) {
            fields.put(component.getName(), valueOf(component, object));
        }
        return fields;
    }

    private static void write(JsonGenerator out, Object value) throws IOException {
        switch (value) {
            case null -> out.writeNull();
            case String word -> out.writeString(word);
            case Boolean truth -> out.writeBoolean(truth);
            case Integer number -> out.writeNumber(number);
            case Long number -> out.writeNumber(number);
            case Double number -> out.writeNumber(number);
            case List<?> list -> {
                out.writeStartArray();
                for (Object element : list) {
                    write(out, element);
                }
                out.writeEndArray();
            }
            case Map<?, ?> map -> {
                out.writeStartObject();
                for (Map.Entry<?, ?> entry : map.entrySet()) {
                    out.writeFieldName(entry.getKey().toString());
                    write(out, entry.getValue());
                }
                out.writeEndObject();
            }
            case Record object -> write(out, fields(object));
            default -> throw new IllegalArgumentException("no JSON for " + value.getClass());
        }
    }

    private static Object valueOf(RecordComponent component, Record object) {
        try {
            return component.getAccessor().invoke(object);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }
}
