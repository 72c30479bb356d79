// SPDX-License-Identifier: Apache-2.0
package lsmlab.server;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.UnknownHostException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Recording;
import jdk.jfr.RecordingState;
import lsmlab.server.cli.Choices;
import lsmlab.server.cli.ClusterOptions;
import lsmlab.server.cli.ExtensionOptions;
import lsmlab.server.cli.ServingOptions;
import lsmlab.server.cli.StorageOptions;
import lsmlab.server.config.NodeConfig;
import lsmlab.server.config.ServingConfig;
import lsmlab.server.extension.Extension;
import lsmlab.server.stats.ServerStats;
import lsmlab.server.values.ByteSize;
import lsmlab.server.values.Require;
import lsmlab.storage.Engine;
import lsmlab.storage.options.Options;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code java -jar lsm-server.jar}: opens a store and serves it until TERM, INT or the end of its parent. */
@Command(name = "lsm-server", mixinStandardHelpOptions = true, versionProvider = Main.Version.class, sortOptions = false,
        description = "Serves a log-structured merge store over HTTP: PUT, GET and DELETE /v0/entity?id=KEY, GET /v0/entities?start=FROM&end=TO, GET /v0/status, /v0/stats and /metrics.",
        footer = {"", "SIGTERM and Ctrl-C finish requests in progress, flush and exit with 0.",
            "What a write that was answered survives is the choice of --wal. Memtables are outside the",
            "heap: each takes up to the flush threshold and some overhead, and there are --max-frozen + 1."})
public final class Main implements Callable<Integer> {
    private static final int EXIT_CANNOT_SERVE = 1;
    private static final int MOST_PORT = 65_535;
    private static final long PARENT_LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    @Spec
    private CommandLine.Model.CommandSpec spec;

    @Option(names = "--data", required = true, paramLabel = "DIR", description = "the store's folder; made if it is not there")
    private Path data;

    @Option(names = "--port", paramLabel = "N", defaultValue = "8080", description = "port to listen on (${DEFAULT-VALUE})")
    private int port;

    @Option(names = "--host", paramLabel = "ADDRESS", defaultValue = "127.0.0.1",
            description = "address to listen on (${DEFAULT-VALUE}); there is no authentication, so any other than loopback opens the store to the network")
    private String host;

    @Mixin
    private StorageOptions storage;

    @Mixin
    private ServingOptions serving;

    @Mixin
    private ClusterOptions cluster;

    @Mixin
    private ExtensionOptions extension;

    @Option(names = "--exit-with", paramLabel = "PID", description = "stop when this process ends (the lab passes its own, so that no server outlives it)")
    private Long exitWith;

    public static void main(String[] args) {
        CommandLine command = new CommandLine(new Main());
        command.registerConverter(ByteSize.class, new ByteSize.Converter());
        Choices.register(command);
        command.setParameterExceptionHandler((e, a) -> {
            System.err.printf("lsm-server: %s; --help lists all options%n", e.getMessage());
            return command.getCommandSpec().exitCodeOnInvalidInput();
        });
        int status = command.execute(args);
        if (status != 0) {
            System.exit(status);
        }
    }

    @Override
    public Integer call() {
        NodeConfig config = config();
        checkHost();
        // WHY before one-nio is loaded: the JVM warns of its use of Unsafe, and a port in use must be reported in one line.
        try (ServerSocket probe = new ServerSocket()) {
            probe.setReuseAddress(true);
            probe.bind(new InetSocketAddress(host, port));
        } catch (IOException e) {
            return cannotServe(portProblem(e));
        }
        Engine engine;
        try {
            engine = Engine.open(data, config.storage().withExtensions(config.extension().storage()));
        } catch (IOException e) {
            return cannotServe(words(e));
        }
        engine.cutAtOpening().forEach(cut -> System.err.println("lsm-server: " + cut));
        Node node;
        try {
            node = Node.of(config, engine);
        } catch (IOException e) {
            close(engine);
            return cannotServe(String.valueOf(e.getMessage()).contains("in use") ? portProblem(e) : words(e));
        }
        serve(node, engine.shape());
        return 0;
    }

    /** The message of a FileSystemException may be a path alone. */
    private static String words(IOException e) {
        return e instanceof FileSystemException ? e.toString() : e.getMessage();
    }

    private String portProblem(IOException e) {
        String message = String.valueOf(e.getMessage());
        return "port %d on %s %s".formatted(port, host,
                message.contains("in use") ? "is in use, choose another with --port" : "can't be opened: " + message);
    }

    private NodeConfig config() {
        try {
            Require.that(port >= 1 && port <= MOST_PORT, "--port is %d, it must be 1 to %d", port, MOST_PORT);
            Options options = storage.options();
            ServingConfig requests = serving.config();
            Extension own = extension.extension();
            return new NodeConfig(data, host, port, options, storage.device(), requests, cluster.config(port), own);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage());
        }
    }

    private void checkHost() {
        try {
            if (!InetAddress.getByName(host).isLoopbackAddress()) {
                System.err.println("lsm-server: listening on " + host + ": anybody who reaches it can read and change the store, there is no authentication");
            }
        } catch (UnknownHostException e) {
            throw new ParameterException(spec.commandLine(), "--host %s is not an address of this machine".formatted(host));
        }
    }

    private void serve(Node node, String shape) {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(node), "stop")); // before the first answer, because a client may send SIGTERM as soon as it has one
        node.start();
        if (exitWith != null) {
            ProcessHandle.of(exitWith).ifPresentOrElse(Main::follow, () -> System.exit(0));
        }
        System.out.printf("lsm-server: http://%s:%d serves %s (%s), %s sockets, stop with Ctrl-C%n", host, port, data, shape, ServerStats.sockets());
    }

    /** WHY it looks again: the JVM takes a process for ended when there is no descriptor left to look at it with. {@code exists} needs none. */
    private static void follow(ProcessHandle parent) {
        Path folder = Path.of("/proc", Long.toString(parent.pid()));
        Optional<Instant> began = parent.info().startInstant();
        parent.onExit().thenRun(() -> {
            while (Files.exists(folder) && ProcessHandle.of(parent.pid()).flatMap(now -> now.info().startInstant()).or(() -> began).equals(began)) {
                LockSupport.parkNanos(PARENT_LOOK_NANOS);
            }
            System.exit(0);
        });
    }

    /** Runs as the JVM goes down. The JVM would report the signal as its status; a stop as asked for is a success. */
    private static void stop(Node node) {
        boolean stopped = node.stop();
        if (FlightRecorder.isInitialized()) { // or its own hook would not come to write the recordings
            FlightRecorder.getFlightRecorder().getRecordings().stream()
                    .filter(recording -> recording.getState() == RecordingState.RUNNING && recording.getDumpOnExit()).forEach(Recording::stop);
        }
        Runtime.getRuntime().halt(stopped ? 0 : EXIT_CANNOT_SERVE);
    }

    private static void close(Engine engine) {
        try {
            engine.close();
        } catch (IOException e) {
            System.err.println("lsm-server: the last flush failed: " + e.getMessage());
        }
    }

    private static int cannotServe(String why) {
        System.err.println("lsm-server: " + why);
        return EXIT_CANNOT_SERVE;
    }

    /** Also what {@code scripts/lab doctor} asks for. */
    static final class Version implements CommandLine.IVersionProvider {
        @Override
        public String[] getVersion() {
            return new String[] {"lsm-server 1 (LSM Lab), %s sockets".formatted(ServerStats.sockets())};
        }
    }
}
