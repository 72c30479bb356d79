// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.show;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import lsmlab.lab.environment.Json;

/** The interactive pages beside this class: each has a place for its data, and places for styles and scripts that it shares with others. */
final class Pages {
    private static final String DATA = "\"DATA\"";
    /** In a page, the place of a file. */
    private static final Pattern PLACE = Pattern.compile("/\\*([A-Z]+\\.(?:CSS|JS))\\*/");

    private Pages() {}

    /** @param data what the page's script reads */
    static String filled(String name, Map<String, Object> data) {
        String json = Json.MAPPER.valueToTree(data).toString().replace("<", "\\u003c"); // no end of a script in it
        return PLACE.matcher(text(name)).replaceAll(place -> Matcher.quoteReplacement(text(place.group(1).toLowerCase(Locale.ROOT)))).replace(DATA, json);
    }

    /** One of the files beside this class. */
    static String text(String name) {
        try (InputStream text = Pages.class.getResourceAsStream(name)) {
            return new String(text.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
