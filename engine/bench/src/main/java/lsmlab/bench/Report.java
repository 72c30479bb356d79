// SPDX-License-Identifier: Apache-2.0
package lsmlab.bench;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

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

    String mode() {
        return mode;
    }

    /** An empty one of the same kind. */
    Report ofPart() {
        return new Report(mode, stores);
    }

    /** What a part of the benchmark found. */
    record Found(List<Measure> measures, List<String> failures) {}

    Found found() {
        return new Found(measures, failures);
    }

    void add(Found part) {
        measures.addAll(part.measures());
        failures.addAll(part.failures());
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
        out.printf("%s run of %s, %s, JDK %s; medians of %d pairs of turns, of their ratios with an interval of 96 %%%n", mode, start, Row.cpu(), Runtime.version(), Comparison.PAIRS);
        out.printf("%-14s%s%n", Kind.LSM.title, Kind.LSM.configuration);
        stores.forEach(store -> out.printf("%-14s%s%n", store.title, store.configuration));
        for (int bytes : measures.stream().filter(m -> m.inTurnsWith() != Kind.LSM).map(Measure::valueBytes).distinct().toList()) {
            out.printf("%nvalues of %d bytes, operations per second%n%-40s", bytes, "in turns:");
            stores.forEach(store -> out.printf("%12s%14s%24s", "this engine", store.title, "ratio"));
            out.println();
            for (String workload : workloads(bytes, "perSecond")) {
                print(out, workload, workload, bytes, "perSecond", 0, Comparison.isInStages(workload) ? Report::rateOfStages : Main::median);
            }
            print(out, "fill-random, settled, s", "fill-random", bytes, "secondsWithSettling", 1, values -> values.stream().mapToDouble(v -> v).sum());
            print(out, "most sorted runs meanwhile", "fill-random", bytes, "mostRuns", 0, values -> values.stream().mapToDouble(v -> v).max().orElse(Double.NaN));
            print(out, "sorted runs when settled", "fill-random", bytes, "settledRuns", 0, List::getLast);
            print(out, "bytes written / user bytes", "fill-random", bytes, "writeAmplification", 2, List::getLast);
            print(out, "disk / user bytes, compacted", "close", bytes, "diskBytesPerUserByte", 3, List::getFirst);
            print(out, "heap bytes a put", "fill-random", bytes, "allocatedBytesPerOperation", 0, Main::median);
            print(out, "heap bytes a get", "get-existing, compacted", bytes, "allocatedBytesPerOperation", 0, Main::median);
            for (String workload : workloads(bytes, "p99Micros")) {
                print(out, "p99, us: " + workload, workload, bytes, "p99Micros", 1, Main::median);
            }
        }
        for (Measure fill : measures.stream().filter(m -> m.result().has("filledShare"))
                .collect(Collectors.toMap(m -> List.of(m.valueBytes(), m.workload(), m.inTurnsWith(), m.store()), m -> m, (_, last) -> last, LinkedHashMap::new)).values()) {
            double share = fill.result().get("filledShare").asDouble();
            if (share < 1) {
                out.printf(Locale.ROOT, "%s holds %.0f %% of %s with values of %d bytes: its time was over%n", fill.store().title, 100 * share, fill.workload(), fill.valueBytes());
            }
        }
        out.printf("%n%s alone%n", Kind.LSM.title);
        for (String workload : aloneWorkloads()) {
            print(out, workload, "perSecond", "/s");
            if (workload.startsWith("open ")) {
                print(out, workload, "seconds", "s");
            }
        }
        failures.forEach(failure -> out.println("failed: " + failure));
    }

    /** Of the whole, from those of its stages, which have as many records each. */
    private static double rateOfStages(List<Double> rates) {
        return rates.size() / rates.stream().mapToDouble(rate -> 1 / rate).sum();
    }

    /** Of this engine alone: the median, and the second lowest and highest. */
    private void print(PrintStream out, String workload, String quantity, String unit) {
        List<Double> values = alone(workload, quantity).stream().sorted().toList();
        if (Comparison.isInStages(workload)) {
            out.printf(Locale.ROOT, "%-40s%14.3f %s%n", workload, rateOfStages(values), unit);
        } else if (values.size() >= Comparison.PAIRS) {
            out.printf(Locale.ROOT, "%-40s%14.3f %s [%.3f, %.3f]%n", workload, Main.median(values), unit, values.get(1), values.get(values.size() - 2));
        }
    }

    /** What a quantity of several turns amounts to. */
    private interface Summary {
        double of(List<Double> values);
    }

    private void print(PrintStream out, String name, String workload, int bytes, String quantity, int decimals, Summary summary) {
        out.printf("%-40s", name);
        for (Kind store : stores) {
            List<Double> ours = values(workload, bytes, store, Kind.LSM, quantity);
            List<Double> theirs = values(workload, bytes, store, store, quantity);
            if (ours.isEmpty() || theirs.isEmpty()) {
                out.printf("%50s", "-");
                continue;
            }
            out.printf(Locale.ROOT, "%12." + decimals + "f%14." + decimals + "f%24s", summary.of(ours), summary.of(theirs), ratio(workload, quantity, ours, theirs, summary));
        }
        out.println();
    }

    private static String ratio(String workload, String quantity, List<Double> ours, List<Double> theirs, Summary summary) {
        Ratio ratio = quantity.equals("perSecond") ? Ratio.of(workload, ours, theirs) : null;
        return ratio == null ? String.format(Locale.ROOT, "%.2f", summary.of(ours) / summary.of(theirs))
                : String.format(Locale.ROOT, "%.2f [%.2f, %.2f]", ratio.median(), ratio.low(), ratio.high());
    }

    /** Ours over theirs in pairs of turns: the median with an interval of 96 %. */
    record Ratio(String workload, double median, double low, double high) {
        /** Null if there are too few pairs for an interval, or none: the parts of a fill are stages of one. */
        static Ratio of(String workload, List<Double> ours, List<Double> theirs) {
            if (ours.size() < Comparison.PAIRS || ours.size() != theirs.size() || Comparison.isInStages(workload)) {
                return null;
            }
            List<Double> ratios = IntStream.range(0, ours.size()).mapToObj(i -> ours.get(i) / theirs.get(i)).sorted().toList();
            return new Ratio(workload, Main.median(ratios), ratios.get(1), ratios.get(ratios.size() - 2));
        }
    }

    /** What the calls of a workload took: medians of the turns. */
    record Tail(String workload, String store, boolean isOurs, double p50Micros, double p99Micros, double p999Micros) {}

    private Tail tail(String workload, int bytes, Kind inTurnsWith, Kind store) {
        List<Double> medians = List.of("p50Micros", "p99Micros", "p999Micros").stream().map(quantity -> Main.median(values(workload, bytes, inTurnsWith, store, quantity))).toList();
        return new Tail(workload, store.title, store == Kind.LSM, medians.get(0), medians.get(1), medians.get(2));
    }

    /** Of a record, of this engine alone. */
    record Cost(String workload, double micros) {}

    /** All of it as charts. */
    void write(Path page) throws IOException {
        Page charts = new Page("scripts/bench, %s run of %s, %s".formatted(mode, start, Row.cpu()));
        for (Kind store : stores) {
            for (int bytes : measures.stream().filter(m -> m.inTurnsWith() == store).map(Measure::valueBytes).distinct().toList()) {
                String title = "%s, values of %d bytes".formatted(store.title, bytes);
                charts.ratios(title, workloads(bytes, store, "perSecond").stream()
                        .map(workload -> Ratio.of(workload, values(workload, bytes, store, Kind.LSM, "perSecond"), values(workload, bytes, store, store, "perSecond"))).filter(Objects::nonNull)
                        .toList());
                charts.tails(title + ": tails",
                        workloads(bytes, store, "p99Micros").stream().flatMap(workload -> Stream.of(Kind.LSM, store).map(kind -> tail(workload, bytes, store, kind)))
                                .filter(tail -> !Double.isNaN(tail.p50Micros())).toList());
            }
        }
        charts.costs("Cost against size", aloneWorkloads().stream().filter(workload -> workload.contains("GB") && !workload.startsWith("fill"))
                .map(workload -> new Cost(workload, 1e6 / Main.median(alone(workload, "perSecond")))).filter(cost -> !Double.isNaN(cost.micros())).sorted(Comparator.comparing(Report::kindOfWorkload))
                .toList());
        charts.write(page);
    }

    /** So that the sizes of one workload stand together; they are in ascending order already. */
    private static String kindOfWorkload(Cost cost) {
        return cost.workload().substring(0, cost.workload().lastIndexOf(','));
    }

    /** Of which there is a quantity, beside any other store. */
    private List<String> workloads(int bytes, String quantity) {
        return stores.stream().flatMap(store -> workloads(bytes, store, quantity).stream()).distinct().toList();
    }

    private List<String> workloads(int bytes, Kind inTurnsWith, String quantity) {
        return measures.stream().filter(m -> m.valueBytes() == bytes && m.inTurnsWith() == inTurnsWith && m.result().has(quantity)).map(Measure::workload).distinct().toList();
    }

    private List<String> aloneWorkloads() {
        return measures.stream().filter(m -> m.inTurnsWith() == Kind.LSM).map(Measure::workload).distinct().toList();
    }

    /** Of this engine alone. */
    private List<Double> alone(String workload, String quantity) {
        return measures.stream().filter(m -> m.inTurnsWith() == Kind.LSM && m.workload().equals(workload)).map(m -> value(m, quantity)).filter(Objects::nonNull).toList();
    }

    /** In the order of the turns. */
    private List<Double> values(String workload, int bytes, Kind inTurnsWith, Kind store, String quantity) {
        return measures.stream().filter(m -> m.valueBytes() == bytes && m.workload().equals(workload) && m.inTurnsWith() == inTurnsWith && m.store() == store)
                .map(m -> value(m, quantity)).filter(Objects::nonNull).toList();
    }

    private Double value(Measure measure, String quantity) {
        JsonNode result = measure.result();
        return switch (quantity) {
            case "writeAmplification" -> result.get("writtenBytes").asDouble() / result.get("userBytes").asDouble();
            case "diskBytesPerUserByte" -> result.get("diskBytes").asDouble() / userBytes(measure);
            default -> result.has(quantity) ? result.get(quantity).asDouble() : null;
        };
    }

    /** Of the random fill before it, or of the one that comes first. */
    private double userBytes(Measure of) {
        return measures.stream().filter(m -> m.valueBytes() == of.valueBytes() && m.inTurnsWith() == of.inTurnsWith() && m.store() == of.store() && m.workload().equals("fill-random"))
                .mapToDouble(m -> m.result().get("userBytes").asDouble()).max().orElse(Double.NaN);
    }

    /** What data/README.md says of a row, machine and moment apart. */
    Map<String, Object> row(List<Parts.Done> parts) {
        Map<String, String> configurations = new LinkedHashMap<>();
        List.of(Kind.values()).forEach(store -> configurations.put(store.title, store.configuration));
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("stores", configurations);
        row.put("measures", measures);
        row.put("failures", failures);
        row.put("parts", parts);
        return row;
    }
}
