// SPDX-License-Identifier: Apache-2.0
package lsmlab.bench;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.PrintStream;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/** What every store did, as a table for people and as a row for {@code data/results}. */
final class Report {
    /** One answer of a {@link Worker}, while this engine and another took turns; for what is measured alone, the other is the same. */
    record Measure(int valueBytes, String workload, Kind inTurnsWith, Kind store, JsonNode result) {}

    private final String mode;
    private final List<Kind> stores;
    private final Instant start = Instant.now().truncatedTo(ChronoUnit.SECONDS);
    private final List<Measure> measures = new ArrayList<>();
    private final List<String> failures = new ArrayList<>();

    Report(String mode, List<Kind> stores) {
        this.mode = mode;
        this.stores = stores;
    }

    void progress(String what) {
        System.err.printf("%6d s  %s%n", Instant.now().getEpochSecond() - start.getEpochSecond(), what);
    }

    void add(int valueBytes, String workload, Kind inTurnsWith, Kind store, JsonNode result) {
        measures.add(new Measure(valueBytes, workload, inTurnsWith, store, result));
        System.err.println("          " + inWords(result));
    }

    /** What a line of progress says of an answer. */
    private static String inWords(JsonNode result) {
        if (result.has("perSecond")) {
            return String.format(Locale.ROOT, "%,.0f/s: %,d in %.1f s", result.get("perSecond").asDouble(), result.get("operations").asLong(), result.get("seconds").asDouble());
        }
        return result.has("diskBytes")
                ? String.format(Locale.ROOT, "%,.0f MB on the disk", result.get("diskBytes").asDouble() / 1e6)
                : String.format(Locale.ROOT, "%.3f s", result.get("seconds").asDouble());
    }

    void failed(int valueBytes, String workload, Kind store, String message) {
        failures.add("%s, values of %d bytes, %s: %s".formatted(store.title, valueBytes, workload, message));
        System.err.println("          " + failures.getLast());
    }

    void print(PrintStream out) {
        out.printf("%s run of %s, %s, JDK %s; medians where there are several rounds%n", mode, start, Row.cpu(), Runtime.version());
        out.printf("%-14s%s%n", Kind.LSM.title, Kind.LSM.configuration);
        stores.forEach(store -> out.printf("%-14s%s%n", store.title, store.configuration));
        for (int bytes : measures.stream().filter(m -> m.inTurnsWith() != Kind.LSM).map(Measure::valueBytes).distinct().toList()) {
            out.printf("%nvalues of %d bytes, operations per second%n%-30s", bytes, "in turns:");
            stores.forEach(store -> out.printf("%12s%14s%8s", "this engine", store.title, "ratio"));
            out.println();
            for (String workload : measures.stream().filter(m -> m.valueBytes() == bytes && m.result().has("perSecond"))
                    .map(Measure::workload).distinct().toList()) {
                print(out, workload, workload, bytes, "perSecond", 0);
            }
            print(out, "fill-random, settled, s", "fill-random", bytes, "secondsWithSettling", 1);
            print(out, "most sorted runs meanwhile", "fill-random", bytes, "mostRuns", 0);
            print(out, "sorted runs when settled", "fill-random", bytes, "settledRuns", 0);
            print(out, "bytes written / user bytes", "fill-random", bytes, "writeAmplification", 2);
            print(out, "disk / user bytes, compacted", "close", bytes, "diskBytesPerUserByte", 3);
            print(out, "heap bytes a put", "fill-random", bytes, "allocatedBytesPerOperation", 0);
            print(out, "heap bytes a get", "get-existing, compacted", bytes, "allocatedBytesPerOperation", 0);
        }
        measures.stream().filter(m -> m.inTurnsWith() == Kind.LSM).forEach(m -> out.printf(Locale.ROOT, "%n%s: %.3f s", m.workload(), m.result().get("seconds").asDouble()));
        out.println();
        failures.forEach(failure -> out.println("failed: " + failure));
    }

    private void print(PrintStream out, String name, String workload, int bytes, String quantity, int decimals) {
        out.printf("%-30s", name);
        for (Kind store : stores) {
            double ours = median(workload, bytes, store, Kind.LSM, quantity);
            double theirs = median(workload, bytes, store, store, quantity);
            out.printf(Locale.ROOT, "%12." + decimals + "f%14." + decimals + "f%8.2f", ours, theirs, ours / theirs);
        }
        out.println();
    }

    private double median(String workload, int bytes, Kind inTurnsWith, Kind store, String quantity) {
        double[] values = measures.stream()
                .filter(m -> m.valueBytes() == bytes && m.workload().equals(workload) && m.inTurnsWith() == inTurnsWith && m.store() == store)
                .map(m -> value(m, quantity)).filter(Objects::nonNull).mapToDouble(Double::doubleValue).sorted().toArray();
        return values.length == 0 ? Double.NaN : values[values.length / 2];
    }

    private Double value(Measure measure, String quantity) {
        JsonNode result = measure.result();
        return switch (quantity) {
            case "writeAmplification" -> result.get("writtenBytes").asDouble() / result.get("userBytes").asDouble();
            case "diskBytesPerUserByte" -> measure == first(measure, "close")
                    ? result.get("diskBytes").asDouble() / first(measure, "fill-random").result().get("userBytes").asDouble() : null;
            default -> result.get(quantity).asDouble();
        };
    }

    /** The first close is that after the compaction; later ones are of other fills. */
    private Measure first(Measure of, String workload) {
        return measures.stream().filter(m -> m.valueBytes() == of.valueBytes() && m.inTurnsWith() == of.inTurnsWith()
                && m.store() == of.store() && m.workload().equals(workload)).findFirst().orElseThrow();
    }

    /** What data/README.md says of a row, machine and moment apart. */
    Map<String, Object> row() {
        Map<String, String> configurations = new LinkedHashMap<>();
        List.of(Kind.values()).forEach(store -> configurations.put(store.title, store.configuration));
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("stores", configurations);
        row.put("measures", measures);
        row.put("failures", failures);
        return row;
    }
}
