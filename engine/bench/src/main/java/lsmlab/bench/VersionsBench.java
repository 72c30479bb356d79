// SPDX-License-Identifier: Apache-2.0
package lsmlab.bench;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.function.Function;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;

/** {@code scripts/bench versions}: compares this server with the jar of an earlier version, in alternating rounds. */
@Command(name = "versions", mixinStandardHelpOptions = true, sortOptions = false,
        description = "Loads this server and the jar of an earlier version in turns, at one rate, and prints what a request costs each: what the engine counted first, "
                + "then processor time, heap bytes, p50 and p99. A second copy of the earlier version (A/A) shows how far two equal servers are apart here.",
        footer = {"", "Thirty rounds take about half an hour. Build the jar: git worktree add DIR REVISION, then ./mvnw -DskipTests package in DIR/engine."})
final class VersionsBench implements Callable<Integer> {
    private enum Part { GET, PUT }

    private static final int RECORDS = 300_000;

    /** Costs of a request: what is counted, then what is measured. Where counts are equal, processor time decides. */
    private enum Measure {
        KEYS_COMPARED("keys compared", 3, Cost::keysCompared), BLOCKS_READ("blocks read", 3, Cost::blocksRead), WRITTEN_BYTES("bytes written", 0, Cost::writtenBytes),
        CPU_MICROS("processor time, us", 2, Cost::cpuMicros), HEAP_BYTES("heap, bytes", 0, Cost::heapBytes), P50_MS("p50, ms", 3, Cost::p50Ms),
        P99_MS("p99, ms", 2, Cost::p99Ms);

        final String title;
        final int decimals;
        final Function<Cost, Double> of;

        Measure(String title, int decimals, Function<Cost, Double> of) {
            this.title = title;
            this.decimals = decimals;
            this.of = of;
        }
    }

    /** A median with its 95 % confidence interval. */
    private record Estimate(double median, double low, double high) {
        /** Uses only the order of the values, so a few disturbed rounds have no effect (Conover, Practical Nonparametric Statistics, 3.2). */
        static Estimate of(List<Double> values) {
            List<Double> sorted = values.stream().sorted().toList();
            int cut = Math.max(0, (int) Math.floor((sorted.size() - 1.96 * Math.sqrt(sorted.size())) / 2));
            return new Estimate(Main.median(sorted), sorted.get(cut), sorted.get(sorted.size() - 1 - cut));
        }

        @Override
        public String toString() {
            return String.format(Locale.ROOT, "%.3f [%.3f, %.3f]", median, low, high);
        }
    }

    @ParentCommand
    private Main main;

    @Option(names = "--before", paramLabel = "JAR", required = true, description = "lsm-server.jar of the earlier version")
    private Path before;

    @Option(names = "--parts", split = ",", paramLabel = "PART", description = "get, put (all)")
    private List<Part> parts = List.of(Part.values());

    @Option(names = "--rounds", paramLabel = "N", defaultValue = "30", description = "(${DEFAULT-VALUE})")
    private int rounds;

    @Option(names = "--rate", paramLabel = "N", defaultValue = "25000", description = "requests a second (${DEFAULT-VALUE})")
    private long rate;

    @Option(names = "--seconds", paramLabel = "N", defaultValue = "4", description = "of load a round and server (${DEFAULT-VALUE})")
    private long seconds;

    @Override
    public Integer call() throws IOException, InterruptedException {
        Leftovers.keepOut(main.folder());
        Files.createDirectories(main.folder());
        Scripted scripted = new Scripted(main.root(), main.folder());
        Path now = main.root().resolve("engine/server/target/lsm-server.jar");
        try (Served earlier = start("before", before); Served again = start("before-again", before); Served ours = start("now", now)) {
            List<Served> all = List.of(earlier, again, ours);
            for (Served server : all) {
                Main.progress("%s: fill and warm up", server.name);
                scripted.fill(server, RECORDS, 30_000, "");
                scripted.load(server, rate, 8, Scripted.GET, List.of(Integer.toString(RECORDS)));
            }
            for (Part part : parts) {
                switch (part) {
                    case GET -> compare("GET", all, scripted, Scripted.GET, List.of(Integer.toString(RECORDS)));
                    case PUT -> compare("PUT", all, scripted, Scripted.PUT, List.of());
                }
            }
        }
        return 0;
    }

    /** Does not merge: the work would fall into later rounds than the requests that caused it. */
    private Served start(String name, Path jar) throws IOException, InterruptedException {
        return Served.lsm(name, jar, main.folder(), List.of(), List.of("--workers", "sync", "--wal", "os", "--compaction", "none"));
    }

    private void compare(String name, List<Served> servers, Scripted scripted, String script, List<String> arguments) throws IOException, InterruptedException {
        List<List<Cost>> costs = servers.stream().<List<Cost>>map(server -> new ArrayList<>()).toList();
        List<Integer> order = new ArrayList<>(List.of(0, 1, 2));
        for (int round = 0; round < rounds; round++) {
            Collections.rotate(order, 1);
            for (int i : order) {
                Main.progress("%s: %s, round %d of %d", name, servers.get(i).name, round + 1, rounds);
                costs.get(i).add(cost(servers, servers.get(i), scripted, script, arguments));
            }
        }
        System.out.printf(Locale.ROOT, "%s at %d/s, %d rounds%12s%12s   %-24s%s%n", name, rate, rounds, "before", "now", "now / before", "before again / before");
        for (Measure measure : Measure.values()) {
            double earlier = median(costs.get(0), measure);
            String number = "%12." + measure.decimals + "f";
            System.out.printf(Locale.ROOT, "  %-25s" + number + number, measure.title, earlier, median(costs.get(2), measure));
            System.out.println(earlier == 0 ? "" : String.format("   %-24s%s", ratio(costs.get(2), costs.get(0), measure), ratio(costs.get(1), costs.get(0), measure)));
        }
    }

    /** Measures one load. A load of PUTs is measured until the flushes it caused are done. */
    private Cost cost(List<Served> all, Served server, Scripted scripted, String script, List<String> arguments) throws IOException, InterruptedException {
        JsonNode first = server.stats();
        JsonNode result = scripted.load(server, rate, seconds, script, arguments);
        if (script.equals(Scripted.PUT)) {
            Served.settle(all);
        }
        return Cost.of(first, result, server.stats());
    }

    private static double median(List<Cost> costs, Measure measure) {
        return Main.median(costs.stream().map(measure.of).toList());
    }

    private static Estimate ratio(List<Cost> costs, List<Cost> base, Measure measure) {
        List<Double> ratios = new ArrayList<>();
        for (int round = 0; round < costs.size(); round++) {
            ratios.add(measure.of.apply(costs.get(round)) / measure.of.apply(base.get(round)));
        }
        return Estimate.of(ratios);
    }
}
