// SPDX-License-Identifier: Apache-2.0
package lsmlab.bench;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;

/** {@code scripts/bench load}: the project's load generator beside wrk, and beside a real wrk2 where there is one. */
@Command(name = "load", mixinStandardHelpOptions = true, sortOptions = false,
        description = "Runs wrk2.jar in turns with wrk (and wrk2, if one is on the path) against a server that answers a constant, so that the generator is what is measured.",
        footer = {"", "Quick: runs of 3 s, about two and a half minutes. Full: runs of 10 s, about ten minutes; kept as a row in data/results."})
final class LoadBench implements Callable<Integer> {
    private static final int ROUNDS = 3;
    private static final int CONNECTIONS = 64;
    private static final long COMMON_RATE = 20_000;
    private static final double[] SHARES = {1, 0.97, 0.94, 0.91, 0.88, 0.85, 0.8, 0.7, 0.6, 0.5};
    private static final String COUNTER_SCRIPT = "scripts/wrk2/put-sequential.lua";

    @ParentCommand
    private Main main;

    @Option(names = "--full", description = "runs of 10 s instead of 3 s, more rates, and a row in data/results")
    private boolean full;

    private final Map<String, Object> measures = new LinkedHashMap<>();
    private final List<String> notKept = new ArrayList<>(); // of the plans, and why
    private Client own;
    private Optional<Client> wrk;
    private Optional<Client> wrk2;
    private Process server;
    private String url;

    @Override
    public Integer call() throws IOException, InterruptedException {
        own = Client.own(Scripted.generator(main.root()));
        wrk = Client.onPath("wrk");
        wrk2 = Client.onPath("wrk2");
        if (wrk.isEmpty()) {
            System.err.println("there is no wrk on the path (Debian's package is called wrk): wrk2.jar is measured alone");
        }
        Leftovers.keepOut(main.folder());
        Files.createDirectories(main.folder());
        startServer();
        try {
            double sustained = saturate("static GET", List.of());
            saturate("counter PUT in Lua, 690 bytes", List.of("-s", main.root().resolve(COUNTER_SCRIPT).toString()));
            commonRate();
            sendLag(sustained / 2);
            stall();
            plan();
        } finally {
            server.destroy();
        }
        if (full) {
            System.out.println("kept as " + main.save("bench-load", Map.of("measures", measures, "notKept", notKept)));
        }
        return 0;
    }

    private void startServer() throws IOException {
        server = new ProcessBuilder(ProcessHandle.current().info().command().orElse("java"), "-Xmx64m", "-XX:+UseSerialGC",
                "-cp", System.getProperty("java.class.path"), ConstantServer.class.getName())
                .redirectError(ProcessBuilder.Redirect.INHERIT).start();
        BufferedReader said = server.inputReader();
        url = "http://127.0.0.1:" + said.readLine() + "/v0/entity?id=1";
    }

    private long seconds() {
        return full ? 10 : 3;
    }

    private Client.Run run(Client client, List<String> script, String... options) throws IOException, InterruptedException {
        List<String> arguments = new ArrayList<>(List.of(options));
        arguments.addAll(script);
        arguments.add(url);
        return client.run(server.toHandle(), main.folder(), client == own, arguments);
    }

    /** All clients as fast as they can, in turns; then the highest rate that wrk2.jar sustains. Returns that. */
    private double saturate(String name, List<String> script) throws IOException, InterruptedException {
        String[] closed = {"-t1", "-c" + CONNECTIONS, "-d" + (seconds() + 2) + "s"};
        List<Client.Run> ours = new ArrayList<>();
        List<Client.Run> theirs = new ArrayList<>();
        double asked = 2 * (wrk.isPresent() ? run(wrk.get(), script, closed).perSecond() : 200_000);
        for (int round = 0; round < ROUNDS; round++) {
            if (wrk.isPresent()) {
                Main.progress("%s: wrk, as fast as it can", name);
                theirs.add(run(wrk.get(), script, closed));
            }
            Main.progress("%s: wrk2.jar, asked for %.0f/s", name, asked);
            ours.add(run(own, script, "-t1", "-c" + CONNECTIONS, "-d" + seconds() + "s", "--warmup", "2s", "-R" + Math.round(asked)));
        }
        double highest = Main.median(ours.stream().map(Client.Run::perSecond).toList());
        double sustained = sustained(name, script, highest);
        show(name + ", highest rate sustained", "/s", 0, sustained, theirs.stream().map(Client.Run::perSecond).toList());
        show(name + ", CPU a request when saturated", "us", 2, Main.median(ours.stream().map(Client.Run::cpuMicros).toList()),
                theirs.stream().map(Client.Run::cpuMicros).toList());
        show(name + ", cores that the server took", "", 2, Main.median(ours.stream().map(Client.Run::serverShare).toList()),
                theirs.stream().map(Client.Run::serverShare).toList());
        JsonNode cost = ours.getLast().json().get("cost");
        show(name + ", heap bytes a request", "", 1, cost.get("allocatedBytesPerRequest").asDouble(), List.of());
        return sustained;
    }

    private double sustained(String name, List<String> script, double highest) throws IOException, InterruptedException {
        for (double share : SHARES) {
            Main.progress("%s: wrk2.jar, does it sustain %.0f/s", name, share * highest);
            Client.Run run = run(own, script, "-t1", "-c" + CONNECTIONS, "-d" + seconds() + "s", "--warmup", "2s", "-R" + Math.round(share * highest));
            if (run.json().get("sustained").asBoolean()) {
                return run.perSecond();
            }
        }
        throw new IOException("wrk2.jar sustains not even half of the %.0f/s that it answers when asked for too much; is something else busy?".formatted(highest));
    }

    /** At the same rate, which a closed loop can't do: only beside a real wrk2. */
    private void commonRate() throws IOException, InterruptedException {
        String[] options = {"-t1", "-c" + CONNECTIONS, "-d" + 2 * seconds() + "s", "-R" + COMMON_RATE};
        Main.progress("wrk2.jar at %d/s", COMMON_RATE);
        double ours = run(own, List.of(), options).cpuMicros();
        List<Double> theirs = new ArrayList<>();
        if (wrk2.isPresent()) {
            theirs.add(run(wrk2.get(), List.of(), options).cpuMicros());
        }
        show("CPU a request at %d/s, beside a real wrk2".formatted(COMMON_RATE), "us", 2, ours, theirs);
    }

    private void sendLag(double rate) throws IOException, InterruptedException {
        Main.progress("wrk2.jar at %.0f/s, half of what it sustains", rate);
        JsonNode result = run(own, List.of(), "-t1", "-c" + CONNECTIONS, "-d" + seconds() + "s", "--warmup", "2s", "-R" + Math.round(rate)).json();
        show("send lag p99 at half of that, us", "", 0, 1000 * Client.percentileMs(result.get("sendLag"), 0.99), List.of());
        show("send lag p50 at half of that, us", "", 0, 1000 * Client.percentileMs(result.get("sendLag"), 0.5), List.of());
    }

    /** The server stands still for 2 of 22 seconds, as in wrk2's own output D. */
    private void stall() throws IOException, InterruptedException {
        Main.progress("the server stopped for 2 s of 22");
        Executor afterTwelve = CompletableFuture.delayedExecutor(12, TimeUnit.SECONDS);
        Executor afterFourteen = CompletableFuture.delayedExecutor(14, TimeUnit.SECONDS);
        CompletableFuture<Void> stop = CompletableFuture.runAsync(() -> signal("-STOP"), afterTwelve);
        CompletableFuture<Void> go = CompletableFuture.runAsync(() -> signal("-CONT"), afterFourteen);
        JsonNode result;
        try {
            result = run(own, List.of(), "-t2", "-c10", "-d22s", "-R500", "-U").json();
        } finally {
            stop.cancel(false);
            go.cancel(false);
            signal("-CONT");
        }
        show("stall: answered / planned", "", 4, result.get("requests").asDouble() / result.get("plannedRequests").asDouble(), List.of());
        show("stall: response p90 (0.95 s in wrk2's output)", "ms", 0, Client.percentileMs(result.get("response"), 0.9), List.of());
        show("stall: service p90", "ms", 2, Client.percentileMs(result.get("service"), 0.9), List.of());
    }

    private void signal(String name) {
        try {
            new ProcessBuilder("kill", name, Long.toString(server.pid())).start().waitFor();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Requests sent against the plan: connection i of a thread starts 5 ms after the one before. */
    private void plan() throws IOException, InterruptedException {
        double worst = 0;
        for (int rate : new int[] {1, 50, 200, 2_000, 20_000}) {
            for (int connections : full ? new int[] {1, 10, 64} : new int[] {10}) {
                for (int threads : full ? new int[] {1, 2, 4} : new int[] {2}) {
                    if (threads <= connections) {
                        String name = "%d/s, %d connections, %d threads".formatted(rate, connections, threads);
                        Main.progress("plan: %s", name);
                        JsonNode result = run(own, List.of(), "-t" + threads, "-c" + connections, "-d" + seconds() + "s", "-R" + rate).json();
                        double planned = planned(rate, connections, threads, seconds());
                        if (result.get("sustained").asBoolean()) {
                            double allowed = Math.max(connections, 0.005 * planned);
                            worst = Math.max(worst, Math.abs(result.get("sentRequests").asDouble() - planned) / allowed);
                        } else {
                            notKept.add("%s: %s; p50 of the service time %.3f ms".formatted(name, result.get("verdict").asText(),
                                    Client.percentileMs(result.get("service"), 0.5)));
                        }
                    }
                }
            }
        }
        show("plan: worst deviation / the greater of c and 0.5 %", "", 2, worst, List.of());
        notKept.forEach(run -> System.out.println("  not kept, " + run));
    }

    private static double planned(double rate, int connections, int threads, double seconds) {
        double planned = 0;
        for (int thread = 0; thread < threads; thread++) {
            int own = connections / threads + (thread < connections % threads ? 1 : 0);
            for (int i = 0; i < own; i++) {
                planned += rate / connections * (seconds - 0.005 * i);
            }
        }
        return planned;
    }

    private void show(String name, String unit, int decimals, double ours, List<Double> theirs) {
        double other = Main.median(theirs);
        Map<String, Object> measure = new LinkedHashMap<>();
        measure.put("unit", unit);
        measure.put("ours", ours);
        if (!theirs.isEmpty()) {
            measure.put("theirs", other);
        }
        measures.put(name, measure);
        String number = "%,." + decimals + "f" + unit;
        System.out.printf(Locale.ROOT, "%-55s%16s%16s%8s%n", name, String.format(Locale.ROOT, number, ours),
                theirs.isEmpty() ? "" : String.format(Locale.ROOT, number, other),
                theirs.isEmpty() ? "" : String.format(Locale.ROOT, "%.2f", ours / other));
    }
}
