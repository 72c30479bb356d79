// SPDX-License-Identifier: Apache-2.0
package lsmlab.bench;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** A full run as data/README.md describes it: which experiment, when, on what machine. */
record Row(String experiment, String git) {
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("HHmmss'Z'").withZone(ZoneOffset.UTC);
    private static final DateTimeFormatter DAY = DateTimeFormatter.ofPattern("yyyyMMdd").withZone(ZoneOffset.UTC);

    Path save(Path results, Map<String, Object> content) throws IOException {
        Instant now = Instant.now().truncatedTo(ChronoUnit.SECONDS);
        int cores = Runtime.getRuntime().availableProcessors();
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("experiment", experiment);
        row.put("mode", "full");
        row.put("utc", now.toString());
        row.put("machine", Map.of("cpu", cpu(), "cores", Integer.toString(cores), "jdk", Runtime.version().toString(), "git", git));
        row.putAll(content);
        String machine = (cpu() + ", " + cores + " cores").toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-");
        Path file = results.resolve(DAY.format(now)).resolve(machine).resolve("%s-%s.json".formatted(experiment, TIME.format(now)));
        Files.createDirectories(file.getParent());
        new ObjectMapper().writeValue(file.toFile(), row);
        return file;
    }

    static String cpu() {
        try (var lines = Files.lines(Path.of("/proc/cpuinfo"))) {
            return lines.filter(l -> l.startsWith("model name")).findFirst().map(l -> l.substring(l.indexOf(':') + 1).strip()).orElse("unknown CPU");
        } catch (IOException e) {
            return "unknown CPU";
        }
    }
}
