// SPDX-License-Identifier: Apache-2.0
package lsmlab.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/** What every store did, as a table for people and as a row for {@code data/results}. */
final class Report {
    private static final DateTimeFormatter NAME = DateTimeFormatter.ofPattern("'bench-'HHmmss'Z.json'").withZone(ZoneOffset.UTC);
    private static final DateTimeFormatter DAY = DateTimeFormatter.ofPattern("yyyyMMdd").withZone(ZoneOffset.UTC);

    /** One answer of a {@link Worker}. */
    record Measure(int valueBytes, String workload, Kind store, JsonNode result) {}

    private final String mode;
    private final String git;
    private final List<Kind> stores;
    private final Instant start = Instant.now().truncatedTo(ChronoUnit.SECONDS);
    private final List<Measure> measures = new ArrayList<>();
    private final List<String> failures = new ArrayList<>();

    Report(String mode, String git, List<Kind> stores) {
        this.mode = mode;
        this.git = git;
        this.stores = stores;
    }

    void progress(String what, Kind store) {
        System.err.printf("%6d s  %s: %s%n", Instant.now().getEpochSecond() - start.getEpochSecond(), store.title, what);
    }

    void add(int valueBytes, String workload, Kind store, JsonNode result) {
        measures.add(new Measure(valueBytes, workload, store, result));
        System.err.println("          " + result);
    }

    void failed(int valueBytes, String workload, Kind store, String message) {
        failures.add("%s, values of %d bytes, %s: %s".formatted(store.title, valueBytes, workload, message));
        System.err.println("          " + failures.getLast());
    }

    void print(PrintStream out) {
        out.printf("%s run of %s, %s, JDK %s; medians where there are several rounds%n", mode, start, cpu(), Runtime.version());
        stores.forEach(store -> out.printf("%-14s%s%n", store.title, store.configuration));
        for (int bytes : measures.stream().map(Measure::valueBytes).distinct().toList()) {
            out.printf("%nvalues of %d bytes, operations per second%n%-28s", bytes, "");
            stores.forEach(store -> out.printf(Locale.ROOT, "%14s", store.title));
            stores.stream().skip(1).forEach(store -> out.printf("%20s", "ours / " + store.title));
            out.println();
            for (String workload : measures.stream().filter(m -> m.valueBytes() == bytes && m.result().has("perSecond"))
                    .map(Measure::workload).distinct().toList()) {
                print(out, workload, bytes, "perSecond", "%14.0f", true);
            }
            print(out, "fill-random", bytes, "secondsWithSettling", "%14.1f", false);
            print(out, "fill-random", bytes, "writeAmplification", "%14.2f", false);
            print(out, "close", bytes, "diskBytesPerUserByte", "%14.3f", false);
            print(out, "fill-random", bytes, "allocatedBytesPerOperation", "%14.0f", false);
            print(out, "get-existing, compacted", bytes, "allocatedBytesPerOperation", "%14.0f", false);
        }
        measures.stream().filter(m -> m.workload().endsWith(" tables")).forEach(m ->
                out.printf(Locale.ROOT, "%n%s: %.3f s", m.workload(), m.result().get("seconds").asDouble()));
        out.println();
        failures.forEach(failure -> out.println("failed: " + failure));
    }

    private void print(PrintStream out, String workload, int bytes, String quantity, String format, boolean higherIsBetter) {
        out.printf("%-28s", higherIsBetter ? workload : NAMES.get(quantity) + (quantity.startsWith("alloc") ? ", " + workload.split("-")[0] : ""));
        double[] values = stores.stream().mapToDouble(store -> median(workload, bytes, store, quantity)).toArray();
        for (double value : values) {
            out.printf(Locale.ROOT, format, value);
        }
        for (int i = 1; i < values.length; i++) {
            out.printf(Locale.ROOT, "%20.2f", values[0] / values[i]);
        }
        out.println();
    }

    private static final Map<String, String> NAMES = Map.of(
            "secondsWithSettling", "fill-random, settled, s",
            "writeAmplification", "bytes written / user bytes",
            "diskBytesPerUserByte", "disk / user bytes, compacted",
            "allocatedBytesPerOperation", "heap bytes");

    private double median(String workload, int bytes, Kind store, String quantity) {
        double[] values = measures.stream()
                .filter(m -> m.valueBytes() == bytes && m.workload().equals(workload) && m.store() == store)
                .map(m -> value(m, quantity)).filter(Objects::nonNull).mapToDouble(Double::doubleValue).sorted().toArray();
        return values.length == 0 ? Double.NaN : values[values.length / 2];
    }

    private Double value(Measure measure, String quantity) {
        JsonNode result = measure.result();
        return switch (quantity) {
            case "writeAmplification" -> result.get("writtenBytes").asDouble() / result.get("userBytes").asDouble();
            case "diskBytesPerUserByte" -> measure == firstClose(measure)
                    ? result.get("diskBytes").asDouble() / filled(measure).get("userBytes").asDouble() : null;
            default -> result.get(quantity).asDouble();
        };
    }

    /** The close after the compaction: later ones are of other fills. */
    private Measure firstClose(Measure close) {
        return measures.stream().filter(m -> m.valueBytes() == close.valueBytes() && m.store() == close.store()
                && m.workload().equals("close")).findFirst().orElseThrow();
    }

    private JsonNode filled(Measure close) {
        return measures.stream().filter(m -> m.valueBytes() == close.valueBytes() && m.store() == close.store()
                && m.workload().equals("fill-random")).findFirst().orElseThrow().result();
    }

    /** A row as data/README.md describes it. */
    Path save(Path results) throws IOException {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("experiment", "bench");
        row.put("mode", mode);
        row.put("utc", start.toString());
        row.put("machine", Map.of("cpu", cpu(), "cores", Integer.toString(Runtime.getRuntime().availableProcessors()),
                "jdk", Runtime.version().toString(), "git", git));
        Map<String, String> configurations = new LinkedHashMap<>();
        stores.forEach(store -> configurations.put(store.title, store.configuration));
        row.put("stores", configurations);
        row.put("measures", measures);
        row.put("failures", failures);
        String machine = (cpu() + ", " + Runtime.getRuntime().availableProcessors() + " cores").toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-");
        Path file = results.resolve(DAY.format(start)).resolve(machine).resolve(NAME.format(start));
        Files.createDirectories(file.getParent());
        new ObjectMapper().writeValue(file.toFile(), row);
        return file;
    }

    private static String cpu() {
        try (var lines = Files.lines(Path.of("/proc/cpuinfo"))) {
            return lines.filter(l -> l.startsWith("model name")).findFirst().map(l -> l.substring(l.indexOf(':') + 1).strip()).orElse("unknown CPU");
        } catch (IOException e) {
            return "unknown CPU";
        }
    }
}
