// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.process;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import lsmlab.lab.environment.Children;
import lsmlab.lab.environment.Given;
import lsmlab.lab.environment.Interrupted;
import lsmlab.lab.environment.Project;
import lsmlab.lab.environment.Text;
import lsmlab.lab.notebook.Progress;

/** Nodes of Apache Cassandra on this machine, numbered from 1, each with a replica of each key; and facades that serve them like a server of the lab. */
public final class Cassandra implements AutoCloseable {
    private final Map<String, String> options;
    private final FacadeProcess starter;
    private final int control;
    private final List<Server> facades = new ArrayList<>();

    private Cassandra(Map<String, String> options, FacadeProcess starter, int control) {
        this.options = options;
        this.starter = starter;
        this.control = control;
        facades.add(new Server(starter));
    }

    static Cassandra start(Map<String, String> options) {
        Path java = prepare();
        int control = Loopback.freePorts(1).getFirst();
        Map<String, String> own = new LinkedHashMap<>(options);
        own.put("java", java.toString());
        own.put("lib", Project.scratch("cassandra/lib").toString());
        own.put("control", Integer.toString(control));
        Progress progress = new Progress("start %s nodes of Cassandra".formatted(options.get("nodes")));
        FacadeProcess facade = FacadeProcess.withNodes(own, label(options));
        facade.start();
        progress.done("they serve");
        return new Cassandra(options, facade, control);
    }

    /** Makes what is missing; returns the java of the nodes. */
    private static Path prepare() {
        Progress progress = new Progress("Cassandra");
        List<String> said = new ArrayList<>();
        try {
            Process setup = Children.start(new ProcessBuilder(Project.root().resolve("scripts/lab").toString(), "setup", "--engine", "cassandra").redirectErrorStream(true));
            try (BufferedReader out = setup.inputReader()) {
                for (String line = out.readLine(); line != null; line = out.readLine()) {
                    said.add(line);
                    progress.update(0, line);
                }
            }
            if (setup.waitFor() != 0) {
                throw new IllegalStateException("Cassandra could not be set up: " + String.join("\n", said));
            }
            progress.done("is set up");
            return Path.of(Files.readString(Project.scratch("cassandra").resolve("java")).strip());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw Interrupted.by(e);
        }
    }

    private static String label(Map<String, String> options) {
        return options.getOrDefault("consistency", "quorum").toUpperCase(Locale.ROOT) + (options.containsKey("speculate") ? ", asks another node after " + options.get("speculate") : "");
    }

    /** The facade that was started with the nodes: loads are sent to it. */
    public Server first() {
        if (facades.isEmpty()) {
            throw new IllegalStateException("this cluster was stopped; run the cell that starts it");
        }
        return facades.getFirst();
    }

    /** Starts another facade before the same nodes: "one", "quorum" or "all" replicas must answer its requests. */
    public Server facade(String consistency) {
        return facade(consistency, null);
    }

    /** The same; another node is asked as well after this time: "100ms". */
    public Server facade(String consistency, String speculate) {
        Given.some("facade", "a consistency", consistency);
        Map<String, String> other = new LinkedHashMap<>();
        other.put("nodes", options.get("nodes"));
        other.put("consistency", consistency);
        if (speculate != null) {
            Text.duration(speculate);
            other.put("speculate", speculate);
        }
        String label = label(other);
        other.put("contact", nodes().stream().map(node -> node.get("cql").asText()).collect(Collectors.joining(",")));
        FacadeProcess facade = starter.beside(other, label);
        facade.start();
        facades.add(new Server(facade));
        return facades.getLast();
    }

    /** Writes records through the first facade; arguments go to the script's init(). */
    public Cassandra fill(int records, String script, Object... arguments) {
        Fill.of(ServerProcess.of(first()), records, script, arguments).throughServer();
        return this;
    }

    /** What /v0/stats of the first facade reports now: options, engine (counts of all nodes together), nodes, driver, http, jvm. */
    public JsonNode stats() {
        return first().stats();
    }

    private List<JsonNode> nodes() {
        List<JsonNode> nodes = new ArrayList<>();
        stats().get("nodes").forEach(nodes::add);
        return nodes;
    }

    /** Ends a node as kill -9 does. Its data stays for {@link #restart}. */
    public Cassandra kill(int node) {
        order("kill/" + node, "");
        return this;
    }

    /** Starts a node that was killed, on the data that it left; returns when clients can connect to it, after about 10 seconds. */
    public Cassandra restart(int node) {
        order("restart/" + node, "");
        return this;
    }

    /** Stops a node (SIGSTOP) for this long and returns when it goes on: "6s". */
    public Cassandra freeze(int node, String length) {
        Duration time = Text.duration(length);
        long pid = Long.parseLong(order("pid/" + node, ""));
        try (Freeze freeze = new Freeze(pid, () -> true, Duration.ZERO, time)) {
            freeze.await();
        }
        return this;
    }

    /** Starts one more node, which becomes the first replica of a quarter of the keys of three nodes; returns when it has its data, after about half a minute. */
    public Cassandra join() {
        order("join", "");
        return this;
    }

    /** All nodes write their memtables to disk. */
    public Cassandra flush() {
        order("flush", "");
        return this;
    }

    /** All nodes merge their SSTables, as the compaction strategy says; returns when that is done. */
    public Cassandra compact() {
        order("compact", "");
        return this;
    }

    /** What Cassandra's nodetool prints of a node: {@code nodetool(1, "tablestats", "lab.entity")}. */
    public String nodetool(int node, String... words) {
        Given.some("nodetool", "a command", (Object[]) words);
        return order("nodetool/" + node, String.join("\n", words));
    }

    /** Runs a statement that changes the schema: {@code cql("ALTER TABLE lab.entity WITH compaction = {...}")}. */
    public Cassandra cql(String statement) {
        Given.some("cql", "a statement", statement);
        order("cql", statement);
        return this;
    }

    /** On which node, counted from 1, the first replica of keyNumber0, keyNumber1 and so on lies. */
    public Map<String, Integer> owners(int ids) {
        List<String> names = IntStream.range(0, ids).mapToObj(i -> "keyNumber" + i).toList();
        List<String> owners = order("owners", String.join("\n", names)).lines().toList();
        Map<String, Integer> byId = new LinkedHashMap<>();
        for (int i = 0; i < ids; i++) {
            byId.put(names.get(i), Integer.valueOf(owners.get(i)));
        }
        return byId;
    }

    /** Has the facade that started the nodes do something to them. */
    private String order(String what, String body) {
        starter.checkRuns();
        HttpResponse<String> answer = Loopback.send(HttpRequest.newBuilder(URI.create(Loopback.url(control) + "/" + what)).header("X-Lsm-Lab", "1").POST(BodyPublishers.ofString(body)).build());
        if (answer.statusCode() != 200) {
            throw new IllegalStateException(answer.body());
        }
        return answer.body();
    }

    /** Ends all facades and nodes and removes the nodes' data. WHY it kills the nodes: asked to end, they would write data first, which goes anyway. */
    public void stop() {
        try {
            if (!facades.isEmpty() && starter.isAlive()) {
                List<JsonNode> nodes = nodes();
                IntStream.rangeClosed(1, nodes.size()).filter(node -> nodes.get(node - 1).get("alive").asBoolean()).forEach(this::kill);
            }
        } finally {
            Server.stopAll(facades.reversed()); // the first one ends the nodes that are left, too
        }
    }

    /** The same as {@link #stop}. */
    @Override
    public void close() {
        stop();
    }

    @Override
    public String toString() {
        if (facades.isEmpty()) {
            return "Cassandra, stopped";
        }
        return facades.stream().map(Server::toString).collect(Collectors.joining("\n"));
    }
}
