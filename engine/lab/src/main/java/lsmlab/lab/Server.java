// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import lsmlab.storage.PageCache;

/** One lsm-server process on loopback, with a store of its own inside the project that is removed when the server stops. */
public final class Server implements AutoCloseable {
    private static final AtomicInteger NUMBER = new AtomicInteger();
    private static final Duration START_LIMIT = Duration.ofSeconds(60);
    private static final int STOP_SECONDS = 60;
    private static final int LAST_LINES = 20;
    private static final int ENDED_BY_SIGNAL = 128;

    private final Map<String, String> options;
    private final String heap;
    private final String label;
    private final Path folder = Workspace.newFolder("server-" + NUMBER.incrementAndGet());
    private final int fixedPort; // 0: another one at each start
    private List<Server> cluster = List.of(this); // whose CPU time counts
    private Process process;
    private int port;
    private boolean warm;
    private boolean profiled;
    private boolean stopped;

    Server(Map<String, String> options, String heap, String label, int fixedPort) {
        this.fixedPort = fixedPort;
        this.options = options;
        this.heap = heap;
        this.label = label;
    }

    void startProcess() {
        launch();
        awaitServing();
    }

    /** Starts the process; {@link #awaitServing} must follow. */
    void launch() {
        port = fixedPort == 0 ? Loopback.freePorts(1).getFirst() : fixedPort;
        try {
            process = Children.start(new ProcessBuilder(command()).redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(log().toFile())));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        warm = false;
    }

    void awaitServing() {
        long deadline = System.nanoTime() + START_LIMIT.toNanos();
        while (!serves()) {
            if (!process.isAlive() || System.nanoTime() > deadline) {
                Children.kill(process);
                throw new IllegalStateException("the server did not start: " + reason());
            }
        }
    }

    private Path log() {
        return folder.resolve("server.log");
    }

    /** What the server said last, a line or a few; its own name before it is left out. */
    private String reason() {
        List<String> lines = logged().lines().filter(line -> !line.isBlank()).toList();
        return String.join("\n", lines.subList(Math.max(0, lines.size() - LAST_LINES), lines.size())).replaceFirst("^lsm-server: ", "")
                .replaceFirst("; --help lists all options", "");
    }

    private String logged() {
        try {
            return Files.readString(log());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private List<String> command() {
        List<String> command = new ArrayList<>(List.of(Children.java(), "-Xmx" + heap,
                "--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow",
                "-XX:+UnlockDiagnosticVMOptions", "-XX:+DebugNonSafepoints", "-XX:+EnableDynamicAgentLoading", "-XX:-UsePerfData",
                "-Djava.io.tmpdir=" + Project.scratch("tmp"),
                "-jar", jar().toString(),
                "--port", Integer.toString(port), "--data", data().toString(), "--exit-with", Children.pid()));
        options.forEach((name, value) -> command.add("--" + name + "=" + value));
        return command;
    }

    static Path jar() {
        return Project.root().resolve("engine/server/target/lsm-server.jar");
    }

    private boolean serves() {
        try {
            return Loopback.send(HttpRequest.newBuilder(uri("/v0/status")).timeout(Duration.ofSeconds(1)).build()).statusCode() == 200;
        } catch (UncheckedIOException e) {
            awaitExitBriefly();
            return false;
        }
    }

    private void awaitExitBriefly() {
        try {
            process.waitFor(20, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Children.kill(process);
            throw Interrupted.by(e);
        }
    }

    private URI uri(String path) {
        return URI.create(url() + path);
    }

    private HttpResponse<String> send(HttpRequest request) {
        checkRunsItself();
        try {
            return Loopback.send(request);
        } catch (UncheckedIOException e) {
            checkRunsItself();
            throw e;
        }
    }

    /** Sends one PUT; shows status and body. */
    public String put(String id, String value) {
        Given.some("put", "a value", value);
        return shown(send(HttpRequest.newBuilder(entity(id)).PUT(BodyPublishers.ofString(value)).build()));
    }

    /** Sends one GET; shows status and body. */
    public String get(String id) {
        return shown(send(HttpRequest.newBuilder(entity(id)).build()));
    }

    /** Sends one DELETE; shows status and body. */
    public String delete(String id) {
        return shown(send(HttpRequest.newBuilder(entity(id)).DELETE().build()));
    }

    private URI entity(String id) {
        Given.some("put, get and delete", "an id", id);
        return uri("/v0/entity?id=" + URLEncoder.encode(id, StandardCharsets.UTF_8));
    }

    private static String shown(HttpResponse<String> response) {
        return (response.statusCode() + " " + response.body()).strip();
    }

    /** What /v0/stats reports now: options, engine, http, jvm. Of a counter: {@code server.stats().at("/engine/gets").asLong()}. */
    public JsonNode stats() {
        return stats("");
    }

    private JsonNode stats(String query) {
        try {
            return Json.MAPPER.readTree(send(HttpRequest.newBuilder(uri("/v0/stats" + query)).build()).body());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Bytes that the store takes over bytes of the newest keys and values in it: 1 if nothing old were left. Reads the whole store. */
    public double spaceAmplification() {
        JsonNode space = stats("?space=1").get("space");
        return space.get("totalBytes").asDouble() / space.get("liveBytes").asDouble();
    }

    /** One line: entries in memory, frozen memtables, tables. */
    public String shape() {
        return stats().at("/engine/shape").asText();
    }

    /**
     * Replaces what the store holds by the records that a put script makes, flushed; arguments go to its init(). Up to 100,000 go over HTTP; more go straight
     * into the store while the server is down. The filled store is kept, so that the next fill like it takes no time. The server
     * restarts.
     */
    public Server fill(int records, String script, Object... arguments) {
        checkRunsItself();
        Fill.of(this, records, script, arguments).run();
        return this;
    }

    /** Restarts the server with none of its tables in the system's page cache; where the system is not Linux, with whatever is in it. */
    public Server cold() {
        checkRunsItself();
        stopProcess();
        try {
            PageCache.drop(data());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        startProcess();
        return this;
    }

    /** @throws IllegalStateException when the process, or another of its cluster, has ended, with the last that it said */
    void checkRuns() {
        cluster.forEach(Server::checkRunsItself);
    }

    private void checkRunsItself() {
        if (stopped) {
            throw new IllegalStateException("the server '%s' was stopped; run the cell that starts it".formatted(label));
        }
        if (!process.isAlive()) {
            throw new IllegalStateException("the server '%s' has ended with status %d; run the cell that starts it%s".formatted(
                    label, process.exitValue(), process.exitValue() > ENDED_BY_SIGNAL ? "" : ". Its last words: " + reason()));
        }
    }

    /** Returns at once; a call of {@link #stop} is to follow. */
    void askToStop() {
        process.destroy();
    }

    /** Ends the process, flushed; the store stays for {@link #startProcess}. */
    void stopProcess() {
        boolean ran = process.isAlive();
        Children.stop(process, STOP_SECONDS);
        if (ran && process.exitValue() != 0) {
            throw new IllegalStateException("the server ended with status " + process.exitValue() + "; its log: " + log());
        }
    }

    /** Stops the process for a while, as a long pause of a garbage collector or a disk would. */
    Freeze freeze(Duration after, Duration length) {
        return freeze(() -> true, after, length);
    }

    /** @param begun when the time is counted from */
    Freeze freeze(BooleanSupplier begun, Duration after, Duration length) {
        checkRunsItself();
        return new Freeze(process.pid(), begun, after, length);
    }

    /** Whether its requests may take other nodes' time, too. */
    boolean isInCluster() {
        return cluster.size() > 1;
    }

    /** Processor time so far; of the first node of a cluster, that of all nodes. */
    Duration cpu() {
        return cluster.stream().map(node -> node.process.info().totalCpuDuration().orElse(Duration.ZERO)).reduce(Duration.ZERO, Duration::plus);
    }

    void setCluster(List<Server> nodes) {
        cluster = List.copyOf(nodes);
    }

    /** The ids of this node's records, which must have empty values: between a value and the next id stands nothing. */
    List<String> idsOfEmptyValues() {
        return send(HttpRequest.newBuilder(uri("/v0/entities?start=!")).build()).body().lines().toList();
    }

    long pid() {
        return process.pid();
    }

    /** Where it listens: "http://127.0.0.1:PORT". */
    public String url() {
        return Loopback.url(port);
    }

    Path data() {
        return folder.resolve("data");
    }

    Map<String, String> options() {
        return options;
    }

    String heap() {
        return heap;
    }

    boolean isWarm() {
        return warm;
    }

    boolean isProfiled() {
        return profiled;
    }

    void setProfiled(boolean profiled) {
        this.profiled = profiled;
    }

    void setWarm() {
        warm = true;
    }

    String label() {
        return label;
    }

    /** Ends the process and removes its store; a server that was stopped already stays so. */
    public void stop() {
        if (!stopped) {
            stopped = true;
            stopProcess();
            Workspace.delete(folder);
        }
    }

    /** The same as {@link #stop}. */
    @Override
    public void close() {
        stop();
    }

    @Override
    public String toString() {
        return "server %s (%s), heap %s, %s".formatted(url(), label, heap, state());
    }

    /** Never throws: a server may end while a cell displays it. */
    private String state() {
        try {
            if (process.isAlive()) {
                return shape();
            }
        } catch (IllegalStateException e) {
            // it has just ended, or does not answer
        }
        return stopped ? "stopped" : process.isAlive() ? "does not answer" : "ended with status " + process.exitValue();
    }
}
