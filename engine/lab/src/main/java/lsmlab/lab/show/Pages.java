// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.show;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import lsmlab.lab.environment.Json;

/** The interactive pages beside this class: each has a place for its data. */
final class Pages {
    private static final String DATA = "\"DATA\"";

    private Pages() {}

    /** @param data what the page's script reads */
    static String filled(String name, Map<String, Object> data) {
        try (InputStream page = Pages.class.getResourceAsStream(name)) {
            String json = Json.MAPPER.valueToTree(data).toString().replace("<", "\\u003c"); // no end of a script in it
            return new String(page.readAllBytes(), StandardCharsets.UTF_8).replace(DATA, json);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
