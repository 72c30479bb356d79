// SPDX-License-Identifier: Apache-2.0
package lsmlab.server;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Recording;
import jdk.jfr.RecordingState;
import lsmlab.server.cli.Choices;
import lsmlab.server.cli.ClusterOptions;
import lsmlab.server.cli.ExtensionOptions;
import lsmlab.server.cli.ListenOptions;
import lsmlab.server.cli.Program;
import lsmlab.server.cli.ServingOptions;
import lsmlab.server.cli.StorageOptions;
import lsmlab.server.config.NodeConfig;
import lsmlab.server.config.ServingConfig;
import lsmlab.server.extension.Extension;
import lsmlab.server.stats.ServerStats;
import lsmlab.server.values.ByteSize;
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

    @Spec
    private CommandLine.Model.CommandSpec spec;

    @Option(names = "--data", required = true, paramLabel = "DIR", description = "the store's folder; made if it is not there")
    private Path data;

    @Mixin
    private ListenOptions listen;

    @Mixin
    private StorageOptions storage;

    @Mixin
    private ServingOptions serving;

    @Mixin
    private ClusterOptions cluster;

    @Mixin
    private ExtensionOptions extension;

    public static void main(String[] args) {
        CommandLine command = new CommandLine(new Main());
        command.registerConverter(ByteSize.class, new ByteSize.Converter());
        Choices.register(command);
        Program.run(command, args);
    }

    @Override
    public Integer call() {
        NodeConfig config = config();
        // WHY before one-nio is loaded: the JVM warns of its use of Unsafe, and a port in use must be reported in one line.
        Optional<String> problem = listen.problem();
        if (problem.isPresent()) {
            return cannotServe(problem.get());
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
            return cannotServe(String.valueOf(e.getMessage()).contains("in use") ? listen.problem(e) : words(e));
        }
        serve(node, engine.shape());
        return 0;
    }

    /** The message of a FileSystemException may be a path alone. */
    private static String words(IOException e) {
        return e instanceof FileSystemException ? e.toString() : e.getMessage();
    }

    private NodeConfig config() {
        try {
            listen.check("lsm-server");
            Options options = storage.options();
            ServingConfig requests = serving.config();
            Extension own = extension.extension();
            return new NodeConfig(data, listen.host(), listen.port(), options, storage.device(), requests, cluster.config(listen.port()), own);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage());
        }
    }

    private void serve(Node node, String shape) {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(node), "stop")); // before the first answer, because a client may send SIGTERM as soon as it has one
        node.start();
        listen.followParent();
        System.out.printf("lsm-server: http://%s:%d serves %s (%s), %s sockets, stop with Ctrl-C%n", listen.host(), listen.port(), data, shape, ServerStats.sockets());
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
