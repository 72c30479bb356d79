// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.show;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import lsmlab.lab.environment.Json;

/** The interactive pages beside this class: each has a place for its data, and places for the style and the script that all share. */
final class Pages {
    private static final String DATA = "\"DATA\"";
    private static final String STYLE = "/*PAGE.CSS*/";
    private static final String SCRIPT = "/*PAGE.JS*/";

    private Pages() {}

    /** @param data what the page's script reads */
    static String filled(String name, Map<String, Object> data) {
        String json = Json.MAPPER.valueToTree(data).toString().replace("<", "\\u003c"); // no end of a script in it
        return text(name).replace(STYLE, text("page.css")).replace(SCRIPT, text("page.js")).replace(DATA, json);
    }

    private static String text(String name) {
        try (InputStream text = Pages.class.getResourceAsStream(name)) {
            return new String(text.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
