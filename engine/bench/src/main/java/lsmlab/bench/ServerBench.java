// SPDX-License-Identifier: Apache-2.0
package lsmlab.bench;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;

/** {@code scripts/bench server}: the server beside the same server with a store that answers a constant, the wire. */
@Command(name = "server", mixinStandardHelpOptions = true, sortOptions = false,
        description = "Searches knees (p99 of the response time 10 ms, 64 connections, values of 690 bytes) of the server alternately with those of the same "
                + "server with a store that answers a constant, which is the wire; of three nodes in turns with one; and compares the wire with nginx.",
        footer = {"", "Quick: one search of each knee, about fifteen minutes. Full: nine in turns, more than two hours; kept as a row in data/results. A full run that is",
            "interrupted goes on with the part where it stopped."})
final class ServerBench implements Callable<Integer> {
    enum Part { PUT, GET, CLUSTER, WIRE }

    /** What the parts found, by name. */
    @SuppressWarnings("serial")
    private static final class Measures extends LinkedHashMap<String, Map<String, ?>> {}

    private static final int RECORDS = 1_500_000; // 1 GB of values
    private static final int CLUSTER_RECORDS = 200_000;
    private static final int SEARCH_SECONDS = 3;
    private static final int SAMPLED_SECONDS = 40;
    private static final String[] OURS = {"--workers", "sync", "--wal", "os"};
    private static final String ONE_COPY = "&ack=1&from=1";

    @ParentCommand
    private Main main;

    @Option(names = "--full", description = "nine pairs of searches instead of one, and a row in data/results")
    private boolean full;

    @Option(names = "--parts", split = ",", paramLabel = "PART", description = "put, get, cluster, wire (all)")
    private List<Part> parts = List.of(Part.values());

    private Measures measures; // of the part that runs
    private Scripted scripted;
    private Path jar;

    @Override
    public Integer call() throws IOException, InterruptedException {
        scripted = new Scripted(main.root(), main.folder());
        jar = main.root().resolve("engine/server/target/lsm-server.jar");
        Leftovers.keepOut(main.folder());
        Files.createDirectories(main.folder());
        Parts<Measures> planned = new Parts<>(main.partsFolder(full), "server-" + (full ? "full" : "quick"), List.of(jar, Scripted.generator(main.root())), Measures.class, _ -> full);
        parts.forEach(part -> planned.plan(part.name(), () -> measure(part)));
        Measures all = new Measures();
        List<Parts.Done> done = planned.run(found -> {
            found.forEach(ServerBench::print);
            all.putAll(found);
        });
        if (full && parts.size() == Part.values().length) {
            System.out.println("kept as " + main.save("bench-server", Map.of("measures", all, "parts", done)));
            planned.forget();
        }
        return 0;
    }

    private Measures measure(Part part) throws IOException, InterruptedException {
        measures = new Measures();
        switch (part) {
            case PUT -> besideTheWire("PUT", Scripted.PUT, List.of());
            case GET -> besideTheWire("GET", Scripted.GET, List.of(Integer.toString(RECORDS)));
            case CLUSTER -> cluster();
            case WIRE -> wire();
        }
        return measures;
    }

    private Served start(String name, String... options) throws IOException, InterruptedException {
        return Served.lsm(name, jar, main.folder(), List.of(), List.of(options));
    }

    /** Knees in turns, then both at half of the lower one, with what a request costs. */
    private void besideTheWire(String name, String script, List<String> arguments) throws IOException, InterruptedException {
        double half;
        try (Served wire = start("wire", "--store", "constant"); Served ours = start("ours", OURS)) {
            List<Served> both = List.of(ours, wire);
            fill(ours, script);
            warm(both, script, arguments);
            Map<Served, List<Double>> knees = knees(name, both, script, arguments);
            compare(name + " knee, p99 below 10 ms: ours / wire", "/s", knees.get(ours), knees.get(wire));
            half = Math.min(Main.median(knees.get(ours)), Main.median(knees.get(wire))) / 2;
            atHalf(name, both, half, script, arguments);
        }
        measures.put(name + ": processor time by layer", layers(half, script, arguments));
    }

    /** Of a server by itself, after the others: it is sampled, and that costs time. */
    private Map<String, Double> layers(double rate, String script, List<String> arguments) throws IOException, InterruptedException {
        Path recording = main.folder().resolve("samples.jfr");
        try (Served sampled = Served.lsm("sampled", jar, main.folder(), Layers.FLAGS, List.of(OURS))) {
            fill(sampled, script);
            warm(List.of(sampled), script, arguments);
            Layers.record(sampled.process(), recording);
            Main.progress("sampled: at %.0f/s", rate);
            scripted.load(sampled, Math.round(rate), SAMPLED_SECONDS, script, arguments);
        }
        return Layers.of(recording);
    }

    /** Writes what the script will read, if it reads. */
    private void fill(Served server, String script) throws IOException, InterruptedException {
        if (script.equals(Scripted.GET)) {
            Main.progress("%s: fill %d records", server.name, RECORDS);
            scripted.fill(server, RECORDS, 40_000, "");
        }
    }

    /** Lets everything be compiled, at a rate that three nodes do not reach. */
    private void warm(List<Served> servers, String script, List<String> arguments) throws IOException, InterruptedException {
        for (Served server : servers) {
            Main.progress("%s: warm up", server.name);
            scripted.load(server, 40_000, 8, script, arguments);
        }
    }

    private Map<Served, List<Double>> knees(String name, List<Served> servers, String script, List<String> arguments) throws IOException, InterruptedException {
        Map<Served, List<Double>> knees = new LinkedHashMap<>();
        for (int round = 0; round < pairs(); round++) {
            for (Served server : round % 2 == 0 ? servers : servers.reversed()) {
                Served.settle(servers);
                Main.progress("%s: knee of %s, round %d of %d", name, server.name, round + 1, pairs());
                double knee = scripted.knee(server, SEARCH_SECONDS, script, arguments);
                Main.progress("%s: knee of %s is %.0f/s", name, server.name, knee);
                knees.computeIfAbsent(server, s -> new ArrayList<>()).add(knee);
            }
        }
        return knees;
    }

    private int pairs() {
        return full ? Comparison.PAIRS : 1;
    }

    /** Of what takes seconds, and not a minute. */
    private int shortPairs() {
        return Math.max(3, pairs());
    }

    /** Tail, processor time and allocations at the same rate, in turns. */
    private void atHalf(String name, List<Served> both, double rate, String script, List<String> arguments) throws IOException, InterruptedException {
        List<List<Cost>> costs = List.of(new ArrayList<>(), new ArrayList<>());
        for (int round = 0; round < shortPairs(); round++) {
            for (int i = 0; i < both.size(); i++) {
                Served.settle(both);
                Main.progress("%s: %s at %.0f/s, round %d of %d", name, both.get(i).name, rate, round + 1, shortPairs());
                JsonNode before = both.get(i).stats();
                JsonNode result = scripted.load(both.get(i), Math.round(rate), 5, script, arguments);
                costs.get(i).add(Cost.of(before, result, both.get(i).stats()));
            }
        }
        compare(name + " at half the knee: p99 of ours / wire's", "ms", costs, Cost::p99Ms);
        compare(name + " at half the knee: processor time a request", "us", costs, Cost::cpuMicros);
        compare(name + " at half the knee: heap bytes a request", "", costs, Cost::heapBytes);
    }

    private void compare(String name, String unit, List<List<Cost>> ofBoth, Function<Cost, Double> measure) {
        compare(name, unit, ofBoth.getFirst().stream().map(measure).toList(), ofBoth.getLast().stream().map(measure).toList());
    }

    private void cluster() throws IOException, InterruptedException {
        int[] ports = IntStream.range(0, 3).map(i -> {
            try {
                return Served.freePort();
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }).toArray();
        String urls = IntStream.of(ports).mapToObj(port -> "http://localhost:" + port).collect(Collectors.joining(","));
        List<Served> nodes = new ArrayList<>();
        try (Served single = start("single node", "--workers", "pool")) {
            for (int port : ports) {
                nodes.add(Served.lsm("three nodes", jar, main.folder(), port, List.of(), List.of("--workers", "pool", "--cluster", urls)));
            }
            List<Served> both = List.of(single, nodes.getFirst());
            for (Served server : both) {
                Main.progress("%s: fill %d records", server.name, CLUSTER_RECORDS);
                scripted.fill(server, CLUSTER_RECORDS, 8_000, ONE_COPY); // slowly: also what asks the other nodes is compiled meanwhile
            }
            for (String method : List.of("PUT", "GET")) {
                String script = method.equals("PUT") ? Scripted.PUT : Scripted.GET;
                List<String> arguments = List.of(method.equals("PUT") ? "0" : Integer.toString(CLUSTER_RECORDS), "1", ONE_COPY);
                warm(both, script, arguments);
                Map<Served, List<Double>> knees = knees(method + ", pool workers", both, script, arguments);
                compare(method + " knee, p99 below 10 ms, pool workers: 3 nodes / 1 node", "/s", knees.get(nodes.getFirst()), knees.get(single));
            }
        } finally {
            for (Served node : nodes) {
                node.close();
            }
        }
    }

    /** The closed loop of wrk on the wire and on nginx, which answers the same bytes from a file. */
    private void wire() throws IOException, InterruptedException {
        Optional<Client> wrk = Client.onPath("wrk");
        Optional<Client> nginx = Client.onPath("nginx");
        if (wrk.isEmpty()) {
            System.err.println("there is no wrk on the path (Debian's package is called wrk): the wire is not compared");
            return;
        }
        List<Served> servers = new ArrayList<>();
        try {
            servers.add(start("wire", "--store", "constant"));
            for (String version : List.of("1.7.1", "2.3.0")) {
                Path other = Path.of(System.getProperty("user.home"), ".m2/repository/ru/odnoklassniki/one-nio", version, "one-nio-" + version + ".jar");
                if (Files.exists(other)) {
                    servers.add(Served.lsm("wire, one-nio " + version, jar, main.folder(), List.of("-cp", other + ":" + jar), List.of("--store", "constant")));
                }
            }
            for (int workers = 1; nginx.isPresent() && workers <= 2; workers++) {
                servers.add(nginx(nginx.get(), workers));
            }
            Map<Served, List<Double>> rates = new LinkedHashMap<>();
            for (int round = 0; round < shortPairs(); round++) {
                for (Served server : servers) {
                    Main.progress("wire: wrk on %s", server.name);
                    Client.Run run = wrk.get().run(server.process(), main.folder(), false,
                            List.of("-t1", "-c" + Scripted.CONNECTIONS, "-d5s", server.url() + "/v0/entity?id=key"));
                    rates.computeIfAbsent(server, s -> new ArrayList<>()).add(run.perSecond());
                }
            }
            List<Double> wire = rates.get(servers.getFirst());
            for (Served server : servers.subList(1, servers.size())) {
                compare("GET by wrk: the wire / " + server.name, "/s", wire, rates.get(server));
            }
        } finally {
            for (Served server : servers) {
                server.close();
            }
        }
    }

    /** A file of as many bytes as the wire's value has. */
    private Served nginx(Client nginx, int workers) throws IOException, InterruptedException {
        Path folder = Files.createDirectories(main.folder().resolve("nginx-" + workers));
        Path pages = Files.createDirectories(folder.resolve("v0"));
        Files.writeString(pages.resolve("entity"), ".".repeat(690));
        int port = Served.freePort();
        Path configuration = Files.writeString(folder.resolve("nginx.conf"), """
                daemon off; worker_processes %d; pid %s/pid; error_log %s/error.log;
                events { worker_connections 1024; }
                http { access_log off; keepalive_requests 1000000000; sendfile on; tcp_nodelay on; open_file_cache max=10;
                    server { listen 127.0.0.1:%d reuseport; root %s; } }
                """.formatted(workers, folder, folder, port, folder));
        List<String> command = new ArrayList<>(nginx.command());
        command.addAll(List.of("-p", folder.toString(), "-c", configuration.toString()));
        return Served.other("nginx, " + workers + (workers == 1 ? " process" : " processes"), port, command);
    }

    /** Medians of turns, and of their ratios, with an interval where there are pairs enough. */
    private void compare(String name, String unit, List<Double> first, List<Double> second) {
        Map<String, Object> found = new LinkedHashMap<>();
        found.put("unit", unit);
        found.put("first", Main.median(first));
        found.put("second", Main.median(second));
        Report.Ratio ratio = Report.Ratio.of(name, first, second);
        if (ratio == null) {
            found.put("ratio", Main.median(first) / Main.median(second));
        } else {
            found.put("ratio", ratio.median());
            found.put("low", ratio.low());
            found.put("high", ratio.high());
        }
        measures.put(name, found);
    }

    private static void print(String name, Map<String, ?> found) {
        if (!found.containsKey("ratio")) { // shares
            found.forEach((layer, share) -> System.out.printf(Locale.ROOT, "    %5.1f %%  %s%n", 100 * (double) share, layer));
            return;
        }
        String unit = (String) found.get("unit");
        String number = "%,16." + (unit.endsWith("s") && !unit.equals("/s") ? 2 : 0) + "f" + unit;
        String interval = found.containsKey("low") ? String.format(Locale.ROOT, " [%.2f, %.2f]", found.get("low"), found.get("high")) : "";
        System.out.printf(Locale.ROOT, "%-65s" + number + number + "%8.2f%s%n", name, found.get("first"), found.get("second"), found.get("ratio"), interval);
    }
}
