// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab;

import com.fasterxml.jackson.databind.JsonNode;
import org.dflib.jjava.jupyter.kernel.display.Renderer;
import org.dflib.jjava.jupyter.kernel.display.mime.MIMEType;

/** How a notebook shows values whose classes are not the lab's. */
final class Renderers {
    private Renderers() {}

    /** JSON, as {@link Server#stats} returns it, is a table with a row a number. */
    static void register(Renderer renderer) {
        renderer.createRegistration(JsonNode.class).preferring(MIMEType.TEXT_HTML, MIMEType.TEXT_PLAIN).register((json, context) -> {
            Table table = table(json);
            context.renderIfRequested(MIMEType.TEXT_HTML, () -> table.content().get(Shown.HTML));
            context.renderIfRequested(MIMEType.TEXT_PLAIN, table::toString);
        });
    }

    static Table table(JsonNode json) {
        Table table = new Table("JSON; .at(NAME) returns one value, as .at(\"/engine/gets\")", "name", "value");
        addRows("", json, table);
        return table;
    }

    private static void addRows(String name, JsonNode value, Table table) {
        if (value.isContainerNode() && !value.isEmpty()) {
            value.properties().forEach(part -> addRows(name + "/" + part.getKey(), part.getValue(), table));
            for (int i = 0; i < value.size() && value.isArray(); i++) {
                addRows(name + "/" + i, value.get(i), table);
            }
        } else {
            table.row(name.isEmpty() ? "/" : name, value.isIntegralNumber() ? Text.count(value.asLong()) : value.asText());
        }
    }
}
