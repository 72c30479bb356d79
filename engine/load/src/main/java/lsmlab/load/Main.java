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
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import lsmlab.load.machine.ProcessClock;
import lsmlab.load.plan.Addresses;
import lsmlab.load.plan.Settings;
import lsmlab.load.report.JsonFile;
import lsmlab.load.report.TextReport;
import lsmlab.load.report.Units;
import lsmlab.load.result.LoadResult;
import lsmlab.load.run.LoadRun;
import lsmlab.load.script.LuaScript;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
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

    @Spec
    private CommandLine.Model.CommandSpec spec;

    @Option(names = {"-c", "--connections"}, paramLabel = "N", defaultValue = "10", description = "connections to keep open (${DEFAULT-VALUE})")
    private String connections;

    @Option(names = {"-d", "--duration"}, paramLabel = "T", description = "length of the run (10s)")
    private String duration;

    @Option(names = {"-t", "--threads"}, paramLabel = "N", defaultValue = "2", description = "threads, each an event loop (${DEFAULT-VALUE})")
    private String threads;

    @Option(names = {"-R", "--rate"}, paramLabel = "N", description = "requests a second, all connections together; required without --knee or --closed")
    private String rate;

    @Option(names = "--abort-unsustained", description = "end the run when more requests wait than those of a second and than 5 %% of the run's: it is not sustained then")
    private boolean abortUnsustained;

    private enum Distribution {
        fixed, exp // as on the command line
    }

    @Option(names = {"-D", "--distribution"}, paramLabel = "fixed|exp", defaultValue = "fixed",
            description = "requests come at equal distances, or independently of each other: exponential distances, which --seed decides (${DEFAULT-VALUE})")
    private Distribution distribution;

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

    @Option(names = "--warmup", paramLabel = "T", description = "load for this long before the run, as 5s or 300ms; nothing of it is counted. "
            + "With --rounds or --knee for each URL")
    private String warmup;

    @Option(names = "--seed", paramLabel = "N", description = "make math.random in scripts the same each time, a stream for each thread; math.randomseed then does nothing")
    private Integer seed;

    @Option(names = "--json", paramLabel = "FILE", description = "write the result as JSON: requested, sent and answered rate with a verdict, response time and service time, "
            + "by status too, send lag, bytes, the generator's own cost, a timeline")
    private Path json;

    @Option(names = "--hlog", paramLabel = "FILE", description = "write a HdrHistogram log: each second, tagged response, service, lag, 2xx, 4xx, ...; in microseconds")
    private Path hlog;

    @Option(names = "--slowest", paramLabel = "P", description = "with --json: keep this share of the requests one by one, the slowest and as many at random, with "
            + "the port and the times that find them in a server that traces its requests: --slowest 1%%")
    private String slowest;

    @Option(names = "--accept", paramLabel = "STATUS", split = ",", description = "a status above 399 that is an answer, not an error: --accept 404; may be repeated")
    private Set<Integer> accepted = Set.of();

    @Option(names = "--exit-with", paramLabel = "PID", description = "stop when this process ends (the lab passes its own)")
    private Long exitWith;

    @Option(names = {"-v", "--version"}, description = "print the version")
    private boolean version;

    @Option(names = {"-h", "--help"}, usageHelp = true, description = "print this")
    private boolean help;

    @Mixin
    private RoundsOptions rounds;

    @Parameters(arity = "0..*", paramLabel = "URL [-- ARGUMENT...]", description = "http://host:port/path (an IPv6 address in brackets), then arguments for the script's init(); "
            + "with --rounds several URLs")
    private List<String> positional = List.of();

    private List<String> scriptArguments = List.of(); // what stood after --
    private Check check;

    public static void main(String[] args) {
        Main main = new Main();
        CommandLine command = new CommandLine(main).setOverwrittenOptionsAllowed(true).setExpandAtFiles(false);
        command.setParameterExceptionHandler((e, a) -> {
            e.getCommandLine().usage(System.out);
            System.out.flush();
            System.err.println("wrk2: " + e.getMessage()); // last, where the user looks after a mistake
            return 1;
        });
        int end = Arrays.asList(args).indexOf("--");
        if (end >= 0) {
            main.scriptArguments = List.of(args).subList(end + 1, args.length);
        }
        int status = command.execute(end < 0 ? args : Arrays.copyOf(args, end));
        STATUS.complete(status);
        System.exit(status);
    }

    /** Ctrl-C stops the load, not the report: the JVM goes down after it was printed, and as wrk2 does with status 0 if all was well. */
    static void exitAfterReport() {
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
        check = new Check(spec.commandLine());
        Task task = task();
        if (exitWith != null) {
            ParentProcess.endWith(exitWith);
        }
        PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), false, StandardCharsets.UTF_8);
        try {
            return task.run(out);
        } catch (LinkageError e) { // LuaJIT's library is unpacked into that folder
            System.err.printf("wrk2: Lua can't be loaded: is %s full, or not to be written? (%s)%n", System.getProperty("java.io.tmpdir"), e);
            return 1;
        } catch (IOException | LuaScript.ScriptException e) {
            out.flush();
            System.err.println("wrk2: " + e.getMessage());
            return 1;
        }
    }

    private Task task() {
        if (rounds.areAskedFor()) {
            check.require(!positional.isEmpty(), "the URL is missing");
            check.require(!abortUnsustained, "--abort-unsustained is of one server and run, %s is of many", rounds.knee == null ? "--rounds" : "--knee");
            check.require(!latency && !uncorrected, "-L and -U are of one server and run, %s is of many", rounds.knee == null ? "--rounds" : "--knee");
            check.require(hlog == null, "--hlog is of one server and run, %s is of many", rounds.knee == null ? "--rounds" : "--knee");
            Settings first = settings(positional.getFirst(), scriptArguments);
            List<Settings> targets = positional.stream().map(url -> first.withUrl(url(url))).toList();
            return rounds.knee == null ? rounds.comparing(targets, check, this::writeJson)
                    : rounds.searching(targets, rounds.yardstick == null ? null : first.withUrl(url(rounds.yardstick)), check, this::writeJson);
        }
        check.require(positional.stream().filter(word -> word.matches("https?://.*")).count() < 2, "several URLs need --rounds N, which compares them, or --knee");
        List<String> words = Stream.concat(positional.stream(), scriptArguments.stream()).toList();
        check.require(!words.isEmpty(), "the URL is missing");
        check.require(rate != null, "the rate is missing: -R N");
        Settings settings = settings(words.getFirst(), words.subList(1, words.size()));
        List<ProcessClock> target = rounds.clocks(1, check);
        return out -> run(settings, target.isEmpty() ? null : target.getFirst(), out);
    }

    private int writeJson(Record... parts) {
        if (json == null) {
            return 0;
        }
        try {
            JsonFile.write(json, parts);
            return 0;
        } catch (IOException e) {
            System.err.println("wrk2: %s can't be written: %s".formatted(json, e.getMessage()));
            return 1;
        }
    }

    private int run(Settings settings, ProcessClock target, PrintStream out) throws IOException, InterruptedException {
        TextReport report = new TextReport(out);
        try (LoadRun run = new LoadRun(settings, report, terminal(), target, Main::exitAfterReport)) {
            LoadResult result = run.run();
            run.print(result, latency || uncorrected, uncorrected);
            run.remarks(result).forEach(remark -> System.err.println("wrk2: " + remark));
            int status = settings.counting().slowest() == 0 ? writeJson(result) : writeJson(result, run.traced());
            run.checkLog();
            return status;
        }
    }

    /** Where progress is shown; null without a terminal. */
    static PrintStream terminal() {
        return System.console() != null && System.console().isTerminal() ? System.err : null;
    }

    private Settings settings(String url, List<String> arguments) {
        requireFile("--json", json);
        requireFile("--hlog", hlog);
        int threadCount = (int) check.count("-t", threads, 1, 1024);
        int connectionCount = (int) check.count("-c", connections, 1, 1_000_000);
        check.require(connectionCount >= threadCount, "-c %d is less than -t %d: each thread needs a connection", connectionCount, threadCount);
        return new Settings(url(url), new Settings.Clients(connectionCount, threadCount),
                new Settings.Span(check.seconds("-d", duration == null ? rounds.knee == null ? "10s" : "90s" : duration),
                        warmup == null ? 0 : check.parsed("--warmup", () -> Units.parseMillis(warmup)), check.seconds("--timeout", timeout)),
                new Settings.Rate(rate == null ? 0 : check.count("-R", rate, 1, 1_000_000_000), distribution == Distribution.exp, abortUnsustained),
                new Settings.Content(script, arguments, seed, headerMap()), new Settings.Counting(batchLatency, accepted, hlog, slowestShare()));
    }

    private double slowestShare() {
        if (slowest == null) {
            return 0;
        }
        check.require(!rounds.areAskedFor(), "--slowest is of one server and run");
        check.require(json != null, "--slowest needs --json FILE, where the requests go");
        check.require(slowest.matches("\\d{1,2}(\\.\\d{1,3})?%") && Double.parseDouble(slowest.replace("%", "")) > 0, "--slowest is %s, it must be a share like 1%%", slowest);
        return Double.parseDouble(slowest.replace("%", "")) / 100;
    }

    /** Finds a bad path before the run instead of after it. */
    private void requireFile(String option, Path file) {
        check.require(file == null || Files.isDirectory(file.toAbsolutePath().getParent()), "%s %s: there is no such folder", option, file);
        check.require(file == null || !Files.isDirectory(file), "%s %s is a folder, and not a file", option, file);
    }

    private URI url(String text) {
        try {
            return Addresses.url(text);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage());
        }
    }

    private Map<String, String> headerMap() {
        Map<String, String> map = new LinkedHashMap<>();
        for (String header : headers) {
            int colon = header.indexOf(": ");
            check.require(colon > 0, "-H '%s' has no ': ' between name and value", header);
            map.put(header.substring(0, colon), header.substring(colon + 2));
        }
        return map;
    }
}
