// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.process;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import lsmlab.lab.environment.Children;
import lsmlab.lab.environment.Interrupted;
import lsmlab.lab.environment.Json;
import lsmlab.lab.environment.Project;
import lsmlab.lab.environment.Workspace;

/** The process behind a {@link Server}: it is started, asked, frozen and ended here. */
public sealed class ServerProcess permits FacadeProcess {
    private static final AtomicInteger NUMBER = new AtomicInteger();
    private static final Duration START_LIMIT = Duration.ofSeconds(120); // nodes of Cassandra may take a minute
    private static final int STOP_SECONDS = 60;
    private static final int MOST_TRIES = 3;
    private static final int ENDED_BY_SIGNAL = 128;
    /** The option for the number of traced requests. */
    static final String TRACE = "trace-requests";

    private final Map<String, String> options;
    private final String heap;
    private final String label;
    private final Path folder = Workspace.newFolder("server-" + NUMBER.incrementAndGet());
    private final ServerLog log = new ServerLog(folder.resolve("server.log"));
    private final int fixedPort; // 0: another one at each start
    private List<ServerProcess> cluster = List.of(this); // whose CPU time counts
    private Process process;
    private int port;
    private boolean warm;
    private boolean profiled;
    private boolean removed;
    private volatile boolean killed;
    private Duration earlierCpu = Duration.ZERO; // of processes of this server that were ended

    ServerProcess(Map<String, String> options, String heap, String label, int fixedPort) {
        this.options = options;
        this.heap = heap;
        this.label = label;
        this.fixedPort = fixedPort;
    }

    /** @throws IllegalArgumentException when there is no server, as after a cell that did not start it */
    public static ServerProcess of(Server server) {
        if (server == null) {
            throw new IllegalArgumentException("there is no server: run the cell that starts it");
        }
        return server.process();
    }

    void start() {
        for (int tries = 1;; tries++) {
            launch();
            try {
                awaitServing();
                return;
            } catch (IllegalStateException e) {
                if (fixedPort != 0 || tries == MOST_TRIES || !log.saysPortIsTaken()) {
                    throw e;
                }
            }
        }
    }

    /** Starts the process; {@link #awaitServing} must follow. */
    void launch() {
        port = fixedPort == 0 ? Loopback.freePorts(1).getFirst() : fixedPort;
        try {
            process = Children.start(new ProcessBuilder(command(port)).redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(log.file().toFile())));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        warm = false;
        killed = false;
    }

    void awaitServing() {
        long deadline = System.nanoTime() + START_LIMIT.toNanos();
        try {
            while (!serves()) {
                if (!process.isAlive() || System.nanoTime() > deadline) {
                    throw new IllegalStateException("the server did not start: " + log.reason());
                }
                awaitExitBriefly();
            }
        } catch (RuntimeException e) { // an interrupt, for one: no variable would hold the server
            Children.kill(process);
            throw e;
        }
    }

    /** Ends it and starts it again on its store. */
    public void restart() {
        checkRuns();
        end();
        start();
    }

    /**
     * Another process with the same options, on a copy of the store. This one is restarted for it, since a store must be closed to be copied.
     *
     * @param label its name in charts and tables
     */
    ServerProcess twin(String label) {
        checkRuns();
        ServerProcess twin = new ServerProcess(options, heap, label, 0);
        end();
        try {
            Fill.link(data(), twin.data());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            start();
        }
        twin.start();
        return twin;
    }

    /** What starts it. */
    List<String> command(int itsPort) {
        Map<String, String> all = new LinkedHashMap<>(options);
        all.put("data", data().toString());
        if (isTraced()) {
            all.put("trace-frames", frames().toString());
        }
        return JavaCommand.of(jar(), heap, itsPort, all);
    }

    static Path jar() {
        return Project.root().resolve("engine/server/target/lsm-server.jar");
    }

    /** Whether it has a store of the lab's own. */
    public boolean hasStore() {
        return true;
    }

    /** WHY it asks who answers: another process may have taken the port since it was free. */
    private boolean serves() {
        try {
            HttpResponse<String> answer = Loopback.send(HttpRequest.newBuilder(uri("/v0/stats")).timeout(Duration.ofSeconds(1)).build());
            return answer.statusCode() == 200 && Json.MAPPER.readTree(answer.body()).at("/jvm/pid").asLong() == process.pid();
        } catch (UncheckedIOException | JsonProcessingException e) {
            return false;
        }
    }

    private void awaitExitBriefly() {
        try {
            process.waitFor(5, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            throw Interrupted.by(e);
        }
    }

    /** Where it listens: "http://127.0.0.1:PORT". */
    public String url() {
        return Loopback.url(port);
    }

    URI uri(String path) {
        return URI.create(url() + path);
    }

    HttpResponse<String> send(HttpRequest request) {
        checkRuns();
        try {
            return Loopback.send(request);
        } catch (UncheckedIOException e) {
            checkRuns();
            throw e;
        }
    }

    /** What /v0/stats reports now. */
    public JsonNode stats() {
        return stats("");
    }

    JsonNode stats(String query) {
        HttpResponse<String> answer = send(HttpRequest.newBuilder(uri("/v0/stats" + query)).build());
        if (answer.statusCode() != 200) {
            throw new IllegalStateException("the server '%s': %s".formatted(label, answer.body().strip()));
        }
        try {
            return Json.MAPPER.readTree(answer.body());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Whether it keeps the times of its requests. */
    public boolean isTraced() {
        return Integer.parseInt(options.getOrDefault(TRACE, "0")) > 0;
    }

    /** One line: entries in memory, frozen memtables, tables. */
    String shape() {
        return stats().at("/engine/shape").asText();
    }

    /** @throws IllegalStateException when the process, or another of its cluster, has ended and was not killed on purpose, with the last that it said */
    public void checkClusterRuns() {
        cluster.stream().filter(node -> node == this || !node.killed).forEach(ServerProcess::checkRuns);
    }

    void checkRuns() {
        if (removed) {
            throw new IllegalStateException("the server '%s' was stopped; run the cell that starts it".formatted(label));
        }
        if (!process.isAlive()) {
            throw new IllegalStateException("the server '%s' has ended with status %d; run the cell that starts it%s".formatted(
                    label, process.exitValue(), process.exitValue() > ENDED_BY_SIGNAL ? "" : ". Its last words: " + log.reason()));
        }
    }

    /** Stops the process for a while, as a long pause of a garbage collector or a disk would. */
    public Freeze freeze(Duration after, Duration length) {
        return freeze(() -> true, after, length);
    }

    /** @param begun when the time is counted from */
    public Freeze freeze(BooleanSupplier begun, Duration after, Duration length) {
        checkRuns();
        return new Freeze(process.pid(), begun, after, length);
    }

    /** Returns at once; {@link #end} or {@link #remove} must follow. */
    void askToEnd() {
        process.destroy();
    }

    /** Ends the process, flushed; the store stays for {@link #start}. */
    void end() {
        boolean ran = process.isAlive();
        earlierCpu = earlierCpu.plus(ownCpu());
        Children.stop(process, STOP_SECONDS);
        if (ran && process.exitValue() != 0) {
            throw new IllegalStateException("the server ended with status " + process.exitValue() + "; its log: " + log.file());
        }
    }

    /** Ends the process at once, as kill -9 does; the store stays. */
    void kill() {
        killed = true;
        earlierCpu = earlierCpu.plus(ownCpu());
        Children.kill(process);
        process.onExit().join();
    }

    private Duration ownCpu() {
        return process.info().totalCpuDuration().orElse(Duration.ZERO);
    }

    /** Ends the process and removes its store, once. */
    void remove() {
        if (!removed) {
            removed = true;
            end();
            Workspace.delete(folder);
        }
    }

    void joinCluster(List<ServerProcess> nodes) {
        cluster = List.copyOf(nodes);
    }

    /** Whether its requests may take other nodes' time, too. */
    public boolean isInCluster() {
        return cluster.size() > 1;
    }

    /** Processor time so far; of the first node of a cluster, that of all nodes. */
    public Duration cpu() {
        return cluster.stream().map(node -> node.earlierCpu.plus(node.ownCpu())).reduce(Duration.ZERO, Duration::plus);
    }

    /** The operating system's number of the process. */
    public long pid() {
        return process.pid();
    }

    /** Where it writes what its engine looks like, if it is traced. */
    Path frames() {
        return folder.resolve("frames.jsonl");
    }

    Path data() {
        return folder.resolve("data");
    }

    Map<String, String> options() {
        return options;
    }

    /** The heap's limit: "128m". */
    public String heap() {
        return heap;
    }

    /** The server's name in charts and tables. */
    public String label() {
        return label;
    }

    /** Whether it was loaded since it was started, so that its JVM has compiled what a load needs. */
    public boolean isWarm() {
        return warm;
    }

    public void setWarm() {
        warm = true;
    }

    /** Whether async-profiler is attached, which takes time. */
    public boolean isProfiled() {
        return profiled;
    }

    public void setProfiled(boolean profiled) {
        this.profiled = profiled;
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /** What it does if it serves no requests: "stopped", "does not answer", "ended with status 1". */
    String state() {
        return removed ? "stopped" : process.isAlive() ? "does not answer" : "ended with status " + process.exitValue();
    }
}
