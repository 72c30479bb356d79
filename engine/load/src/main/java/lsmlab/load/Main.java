// SPDX-License-Identifier: Apache-2.0
package lsmlab.load;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import lsmlab.load.knee.Ladder;
import lsmlab.load.plan.Settings;
import lsmlab.load.report.JsonFile;
import lsmlab.load.report.TextReport;
import lsmlab.load.report.Units;
import lsmlab.load.result.LoadResult;
import lsmlab.load.run.KneeRun;
import lsmlab.load.run.LoadRun;
import lsmlab.load.script.LuaScript;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code java -jar wrk2.jar}: wrk2's command line. */
@Command(name = "wrk2", sortOptions = false, usageHelpAutoWidth = true,
        description = "Sends HTTP requests at a constant rate and measures each response from the moment its request was due, as wrk2 does.",
        footer = {"",
            "Counts may end in k, M or G; times in s, m or h.",
            "Runs of more than 10 s drop the latencies of their first 10 s (calibration), as wrk2 does; totals include them. --warmup takes the"
                    + " calibration's place: load before the run, which is not counted.",
            "Unlike wrk2:",
            "- requests leave as their time has come, mostly within 0.1 ms, instead of on a timer of 1 ms;",
            "- a request counts as timed out once, when it is;",
            "- all connections are opened, also where -t does not divide -c;",
            "- a server that closes without saying so is noticed, counted as a read error, and connected to again;",
            "- requests still unanswered at the end are reported, with their minimum wait: on stderr if there is more than one"
                    + " a connection or one older than the timeout, and always in --json;",
            "- a script's mistake ends the run, with its line and status 1;",
            "- the printed time starts at the first intended send;",
            "- a -H without ': ' is an error; https is refused;",
            "- stderr has what wrk2 does not report: rates asked for, sent and answered with a verdict, service time and send lag, response times by"
                    + " class of status where there are several, a generator that was itself late or busy; --json has all of it."})
public final class Main implements Callable<Integer> {
    private static final CompletableFuture<Integer> STATUS = new CompletableFuture<>(); // once all is reported
    private static final long REPORT_SECONDS = 5;
    /** More than a connection can do: what a server answers when it is asked for that, it can do at most. */
    private static final int MAX_CONNECTION_RATE = 200_000;
    private static final int MAX_PORT = 65_535;
    private static final long PARENT_LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    @Spec
    private CommandLine.Model.CommandSpec spec;

    @Option(names = {"-c", "--connections"}, paramLabel = "N", defaultValue = "10", description = "connections to keep open (${DEFAULT-VALUE})")
    private String connections;

    @Option(names = {"-d", "--duration"}, paramLabel = "T", defaultValue = "10s", description = "length of the run (${DEFAULT-VALUE})")
    private String duration;

    @Option(names = {"-t", "--threads"}, paramLabel = "N", defaultValue = "2", description = "threads, each an event loop (${DEFAULT-VALUE})")
    private String threads;

    @Option(names = {"-R", "--rate"}, paramLabel = "N", description = "requests a second, all connections together; required without --knee")
    private String rate;

    @Option(names = {"-s", "--script"}, paramLabel = "FILE", description = "Lua script that makes the requests")
    private Path script;

    @Option(names = {"-H", "--header"}, paramLabel = "'NAME: VALUE'", description = "add a header to every request; may be repeated")
    private List<String> headers = List.of();

    @Option(names = {"-L", "--latency"}, description = "print the distribution of response times")
    private boolean latency;

    @Option(names = {"-U", "--u_latency"}, description = "print service times too: measured from the actual send; implies -L")
    private boolean uncorrected;

    @Option(names = {"-B", "--batch_latency"}, description = "of a pipelined batch record the last response only")
    private boolean batchLatency;

    @Option(names = "--timeout", paramLabel = "T", defaultValue = "2s", description = "a response later than this counts as a timeout (${DEFAULT-VALUE})")
    private String timeout;

    @Option(names = "--warmup", paramLabel = "T", description = "load for this long before the run, as 5s or 300ms; nothing of it is counted")
    private String warmup;

    @Option(names = "--seed", paramLabel = "N", description = "make math.random in scripts the same each time, a stream for each thread; math.randomseed then does nothing")
    private Integer seed;

    @Option(names = "--json", paramLabel = "FILE", description = "write the result as JSON: requested, sent and answered rate with a verdict, response time and service time, "
            + "by status too, send lag, bytes, the generator's own cost, a timeline")
    private Path json;

    @Option(names = "--hlog", paramLabel = "FILE", description = "write a HdrHistogram log: each second, tagged response, service, lag, 2xx, 4xx, ...; in microseconds")
    private Path hlog;

    @Option(names = "--accept", paramLabel = "STATUS", split = ",", description = "a status above 399 that is an answer, not an error: --accept 404; may be repeated")
    private Set<Integer> accepted = Set.of();

    @Option(names = "--knee", paramLabel = "pP=T", description = "instead of one run, look for the highest rate that keeps a percentile of the response time below a bound: "
            + "--knee p99=10ms. A rate with more than 0.1 %% errors, 404 among them unless accepted, is not held. -d is the length of each step, -R where to begin (without it: what the server answers when asked for too much)")
    private String knee;

    @Option(names = "--exit-with", paramLabel = "PID", description = "stop when this process ends (the lab passes its own)")
    private Long exitWith;

    @Option(names = {"-v", "--version"}, description = "print the version")
    private boolean version;

    @Option(names = {"-h", "--help"}, usageHelp = true, description = "print this")
    private boolean help;

    @Parameters(arity = "0..*", paramLabel = "URL [-- ARGUMENT...]", description = "http://host:port/path (an IPv6 address in brackets), then arguments for the script's init()")
    private List<String> positional = List.of();

    public static void main(String[] args) {
        CommandLine command = new CommandLine(new Main()).setOverwrittenOptionsAllowed(true).setExpandAtFiles(false);
        command.setParameterExceptionHandler((e, a) -> {
            e.getCommandLine().usage(System.out);
            System.out.flush();
            System.err.println("wrk2: " + e.getMessage()); // last, where the user looks after a mistake
            return 1;
        });
        int status = command.execute(args);
        STATUS.complete(status);
        System.exit(status);
    }

    /** Ctrl-C stops the load, not the report: the JVM goes down after it was printed, and as wrk2 does with status 0 if all was well. */
    private static void exitAfterReport() {
        try {
            Runtime.getRuntime().halt(STATUS.get(REPORT_SECONDS, TimeUnit.SECONDS));
        } catch (InterruptedException | ExecutionException | TimeoutException e) {
            // the JVM goes down without it
        }
    }

    @Override
    public Integer call() throws InterruptedException {
        if (version) {
            System.out.println("wrk2.jar 1 (LSM Lab), compatible with wrk2 4.0.0");
            return 0;
        }
        Settings settings = settings();
        KneeRun.Bound bound = knee == null ? null : parsed("--knee", () -> KneeRun.Bound.parse(knee));
        if (exitWith != null) {
            ProcessHandle.of(exitWith).ifPresentOrElse(Main::follow, () -> System.exit(1));
        }
        PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), false, StandardCharsets.UTF_8);
        try {
            return bound == null ? run(settings, out) : writeJson(new KneeRun(settings, bound, rate != null, out, terminal(), Main::exitAfterReport).search());
        } catch (LinkageError e) { // LuaJIT's library is unpacked into that folder
            System.err.printf("wrk2: Lua can't be loaded: is %s full, or not to be written? (%s)%n", System.getProperty("java.io.tmpdir"), e);
            return 1;
        } catch (IOException | LuaScript.ScriptException | Ladder.NotFoundException e) {
            out.flush();
            System.err.println("wrk2: " + e.getMessage());
            return 1;
        }
    }

    private int writeJson(Record result) {
        if (json == null) {
            return 0;
        }
        try {
            JsonFile.write(json, result);
            return 0;
        } catch (IOException e) {
            System.err.println("wrk2: %s can't be written: %s".formatted(json, e.getMessage()));
            return 1;
        }
    }

    private int run(Settings settings, PrintStream out) throws IOException, InterruptedException {
        TextReport report = new TextReport(out);
        try (LoadRun run = new LoadRun(settings, report, terminal(), Main::exitAfterReport)) {
            LoadResult result = run.run();
            run.print(result, latency || uncorrected, uncorrected);
            run.remarks(result).forEach(remark -> System.err.println("wrk2: " + remark));
            int status = writeJson(result);
            run.checkLog();
            return status;
        }
    }

    /** WHY it looks again: the JVM takes a process for ended when there is no descriptor left to look at it with. {@code exists} needs none. */
    private static void follow(ProcessHandle parent) {
        Path folder = Path.of("/proc", Long.toString(parent.pid()));
        Optional<Instant> began = parent.info().startInstant();
        parent.onExit().thenRun(() -> {
            while (Files.exists(folder) && ProcessHandle.of(parent.pid()).flatMap(now -> now.info().startInstant()).or(() -> began).equals(began)) {
                LockSupport.parkNanos(PARENT_LOOK_NANOS);
            }
            Runtime.getRuntime().halt(1);
        });
    }

    /** Where progress is shown; null without a terminal. */
    private static PrintStream terminal() {
        return System.console() != null && System.console().isTerminal() ? System.err : null;
    }

    private Settings settings() {
        require(!positional.isEmpty(), "the URL is missing");
        require(rate != null || knee != null, "the rate is missing: -R N");
        require(knee == null || hlog == null, "--hlog is of one run, --knee makes many");
        requireFile("--json", json);
        requireFile("--hlog", hlog);
        int threadCount = (int) count("-t", threads, 1, 1024);
        int connectionCount = (int) count("-c", connections, 1, 1_000_000);
        require(connectionCount >= threadCount, "-c %d is less than -t %d: each thread needs a connection", connectionCount, threadCount);
        return new Settings(url(positional.getFirst()), connectionCount, threadCount, seconds("-d", duration),
                warmup == null ? 0 : parsed("--warmup", () -> Units.parseMillis(warmup)), seconds("--timeout", timeout),
                rate == null ? (double) MAX_CONNECTION_RATE * connectionCount : count("-R", rate, 1, 1_000_000_000),
                script, positional.subList(1, positional.size()), seed, headerMap(), batchLatency, accepted, hlog);
    }

    /** Finds a bad path before the run instead of after it. */
    private void requireFile(String option, Path file) {
        require(file == null || Files.isDirectory(file.toAbsolutePath().getParent()), "%s %s: there is no such folder", option, file);
        require(file == null || !Files.isDirectory(file), "%s %s is a folder, and not a file", option, file);
    }

    private URI url(String text) {
        try {
            URI url = URI.create(text);
            require(!"https".equals(url.getScheme()), "https is not supported: %s", text);
            require("http".equals(url.getScheme()) && url.getHost() != null && url.getPort() != 0 && url.getPort() <= MAX_PORT, "not a URL like http://host:port/path: %s", text);
            return url;
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), "not a URL like http://host:port/path: " + text);
        }
    }

    private Map<String, String> headerMap() {
        Map<String, String> map = new LinkedHashMap<>();
        for (String header : headers) {
            int colon = header.indexOf(": ");
            require(colon > 0, "-H '%s' has no ': ' between name and value", header);
            map.put(header.substring(0, colon), header.substring(colon + 2));
        }
        return map;
    }

    private long count(String option, String text, long least, long most) {
        long value = parsed(option, () -> Units.parseCount(text));
        require(value >= least && value <= most, "%s is %s, it must be %d to %d", option, text, least, most);
        return value;
    }

    private long seconds(String option, String text) {
        long value = parsed(option, () -> Units.parseSeconds(text));
        require(value >= 1, "%s is %s, it must be at least 1s", option, text);
        return value;
    }

    private <T> T parsed(String option, Supplier<T> parser) {
        try {
            return parser.get();
        } catch (IllegalArgumentException | ArithmeticException e) {
            throw new ParameterException(spec.commandLine(), option + ": " + e.getMessage());
        }
    }

    private void require(boolean condition, String message, Object... values) {
        if (!condition) {
            throw new ParameterException(spec.commandLine(), message.formatted(values));
        }
    }
}
