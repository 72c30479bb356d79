// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.rows;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import lsmlab.lab.environment.Json;

/** What is too bulky for a row stands in a compressed file beside it, and is part of the row: EXPERIMENT-TIME.more.json.gz. */
final class Beside {
    static final long MOST_BYTES = 2 << 20;

    private Beside() {}

    static Path file(Path row) {
        return row.resolveSibling(row.getFileName().toString().replaceFirst("\\.json$", ".more.json.gz"));
    }

    static void write(Path file, JsonNode content) throws IOException {
        try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(file))) {
            Json.COMPACT.writeValue(out, content);
        }
    }

    /** An empty object if there is none. */
    static JsonNode read(Path file) throws IOException {
        if (!Files.exists(file)) {
            return Json.MAPPER.createObjectNode();
        }
        try (InputStream in = new GZIPInputStream(Files.newInputStream(file))) {
            return Json.MAPPER.readTree(in);
        }
    }
}
