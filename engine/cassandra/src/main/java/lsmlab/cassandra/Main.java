// SPDX-License-Identifier: Apache-2.0
package lsmlab.cassandra;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DriverException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import lsmlab.cassandra.nodes.Installation;
import lsmlab.cassandra.nodes.Nodes;
import lsmlab.server.cli.Durations;
import lsmlab.server.cli.ListenOptions;
import lsmlab.server.cli.Program;
import lsmlab.server.session.Descriptors;
import lsmlab.server.session.Limits;
import lsmlab.server.values.Require;
import picocli.CommandLine;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code java -jar lsm-cassandra.jar}: starts nodes of Cassandra and serves them over HTTP, until TERM, INT or the end of its parent. */
@Command(name = "lsm-cassandra", mixinStandardHelpOptions = true, version = "lsm-cassandra 1 (LSM Lab)", sortOptions = false,
        description = "Serves a cluster of Apache Cassandra over HTTP: PUT, GET and DELETE /v0/entity?id=KEY, GET /v0/status, /v0/stats and /metrics. "
                + "ack=1 is ONE, a majority of the replicas QUORUM, all of them ALL. It starts the nodes on this machine, or goes to some that run.",
        footer = {"", "SIGTERM and Ctrl-C end the nodes that it started as well. Their data stays in --data.", "A node takes 600 to 700 MB of memory."})
public final class Main implements Callable<Integer> {
    private static final int EXIT_CANNOT_SERVE = 1;
    private static final int MOST_NODES = 5;
    private static final int OTHER_DESCRIPTORS = 128;
    private static final long MAX_BODY_BYTES = 16 << 20;
    private static final long IDLE_MILLIS = 60_000;
    private static final long REQUEST_MILLIS = 30_000;

    /** How the nodes compile their code. */
    enum Jit { C1, C2 }

    /** The nodes that serve. */
    private static final class Which {
        @ArgGroup(exclusive = false)
        private Started started;

        @Option(names = "--contact", required = true, split = ",", paramLabel = "HOST:PORT", converter = Address.class,
                description = "go to the cluster of these nodes, which run already; comma-separated")
        private List<InetSocketAddress> contact;
    }

    /** Nodes that are started here. */
    private static final class Started {
        @Option(names = "--data", required = true, paramLabel = "DIR", description = "folder of the nodes' data and logs; made if it is not there")
        private Path data;

        @Option(names = "--java", required = true, paramLabel = "FILE", description = "the java of version 17 or 11 that nodes run with")
        private Path java;

        @Option(names = "--lib", required = true, paramLabel = "DIR", description = "folder of Cassandra's jars")
        private Path libraries;

        @Option(names = "--jit", paramLabel = "HOW", defaultValue = "C1",
                description = "C1 (the nodes are soon warm) or C2 (they are faster after some minutes) (${DEFAULT-VALUE})")
        private Jit jit;

        @Option(names = "--control", paramLabel = "PORT", description = "take commands for the nodes on this port of 127.0.0.1 (the lab's notebooks kill and restart nodes)")
        private Integer control;

        private Installation installation() {
            return new Installation(java, libraries, jit == Jit.C1 ? List.of("-XX:TieredStopAtLevel=1") : List.of());
        }
    }

    @Spec
    private CommandLine.Model.CommandSpec spec;

    @Mixin
    private ListenOptions listen;

    @Option(names = "--nodes", paramLabel = "N", defaultValue = "3", description = "nodes, each with a replica of each key; with --contact, the replicas that the keyspace lab has (${DEFAULT-VALUE})")
    private int count;

    @ArgGroup(multiplicity = "1")
    private Which which;

    @Option(names = "--consistency", paramLabel = "LEVEL", defaultValue = "QUORUM", description = "of requests without ack and from: ONE, QUORUM or ALL (${DEFAULT-VALUE})")
    private Consistency consistency;

    @Option(names = "--timeout", paramLabel = "TIME", defaultValue = "1s", converter = Durations.class,
            description = "a request that has no answer from the nodes by then is answered 504 (${DEFAULT-VALUE})")
    private Duration timeout;

    @Option(names = "--speculate", paramLabel = "TIME", converter = Durations.class,
            description = "ask another node as well if the first has not answered by then; without it nobody else is asked")
    private Duration speculate;

    private volatile boolean serves;

    public static void main(String[] args) {
        Program.run(new CommandLine(new Main()).setCaseInsensitiveEnumValuesAllowed(true), args);
    }

    @Override
    public Integer call() {
        try {
            listen.check("lsm-cassandra");
            Require.that(count >= 1 && count <= MOST_NODES, "--nodes is %d, it must be 1 to %d", count, MOST_NODES);
            if (which.started != null && which.started.control != null) {
                ListenOptions.checkPort("--control", which.started.control);
            }
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage());
        }
        Optional<String> problem = listen.problem();
        if (problem.isPresent()) {
            return cannotServe(problem.get());
        }
        listen.followParent();
        Closing closing = new Closing();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(closing), "stop")); // before the first process, which must not outlive this one
        try {
            long began = System.nanoTime();
            String where = which.started == null ? serveOthers(closing) : serveOwn(closing, which.started);
            serves = true;
            System.out.printf("lsm-cassandra: http://%s:%d serves %s (started in %.1f s), stop with Ctrl-C%n", listen.host(), listen.port(), where, (System.nanoTime() - began) / 1e9);
            return 0;
        } catch (IOException | DriverException e) {
            closing.run();
            return cannotServe(e.getMessage());
        }
    }

    private String serveOwn(Closing closing, Started started) throws IOException {
        Nodes nodes = closing.add(new Nodes(started.data, count, started.installation()));
        System.out.printf("lsm-cassandra: starting %d nodes%n", count);
        nodes.await();
        CqlSession session = closing.add(Sessions.open(nodes.addresses(), timeout, speculate));
        Sessions.awaitAll(session, count);
        Schema.make(session, count);
        closing.add(facade(session, nodes::stats)).start();
        if (started.control != null) {
            closing.add(new Control(started.control, nodes, session));
        }
        return "%d nodes of Cassandra with data in %s".formatted(count, started.data);
    }

    private String serveOthers(Closing closing) throws IOException {
        CqlSession session = closing.add(Sessions.open(which.contact, timeout, speculate));
        Schema.make(session, count);
        closing.add(facade(session, List::of)).start();
        return "the nodes of Cassandra at " + which.contact;
    }

    private Facade facade(CqlSession session, Supplier<List<Map<String, Object>>> nodes) throws IOException {
        int connections = (int) Math.min(Limits.MOST_CONNECTIONS, Descriptors.limit() - OTHER_DESCRIPTORS - Limits.RESERVED_CONNECTIONS);
        return new Facade(listen, new Limits(MAX_BODY_BYTES, IDLE_MILLIS, REQUEST_MILLIS, connections, 1), session, new CassandraEntities(session, count, consistency), options(session), nodes);
    }

    private Map<String, Object> options(CqlSession session) {
        Map<String, Object> options = new LinkedHashMap<>();
        options.put("cassandra", String.valueOf(session.getMetadata().getNodes().values().iterator().next().getCassandraVersion()));
        options.put("nodes", count);
        options.put("consistency", consistency.toString());
        options.put("timeoutMillis", timeout.toMillis());
        if (speculate != null) {
            options.put("speculateMillis", speculate.toMillis());
        }
        if (which.started != null) {
            options.put("jit", which.started.jit.toString());
        }
        return options;
    }

    /** Runs as the JVM goes down. It would report the signal as its status; a stop as asked for is a success. */
    private void stop(Closing closing) {
        closing.run();
        if (serves) {
            Runtime.getRuntime().halt(0);
        }
    }

    private static int cannotServe(String why) {
        System.err.println("lsm-cassandra: " + why);
        return EXIT_CANNOT_SERVE;
    }
}
