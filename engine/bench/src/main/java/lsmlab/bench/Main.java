// SPDX-License-Identifier: Apache-2.0
package lsmlab.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code scripts/bench}: this engine beside what people would pick instead, on the same work in turns. */
@Command(name = "scripts/bench", subcommands = {LoadBench.class, ServerBench.class, VersionsBench.class}, mixinStandardHelpOptions = true, version = "bench 1 (LSM Lab)", sortOptions = false,
        description = "Runs this engine in turns with RocksDB, with LMDB and with H2's MVStore on the same work, and prints what each did and the ratios.",
        footer = {"", "Quick: 300 MB a store, about three quarters of an hour. Full: 3 GB a store and value size, a few hours and 20 GB of disk;",
            "only a full run of all stores is kept, as a row in data/results. A run that is interrupted goes on with the part where it stopped;",
            "the parts of a full one are in data/unfinished until then, and go on elsewhere, too, where jars, JDK and processor are the same.",
            "scripts/bench measuring repeats the lab's own measurements and counts how often they say the same; about four hours, in parts.",
            "scripts/bench instruments measures what tracing costs a server; six minutes.",
            "scripts/bench facade measures what the facade before Cassandra costs; six minutes."})
public final class Main implements Callable<Integer> {
    private static final int USUAL_VALUE_BYTES = 150;
    private static final long QUICK_BYTES = 300_000_000;
    private static final long FULL_BYTES = 3_000_000_000L;
    private static final long LEAST_LIMITED_BYTES = 1_200_000_000; // a quarter of it is enough for a JVM

    @Option(names = "--full", description = "3 GB of values instead of 300 MB, longer reads")
    private boolean full;

    @Option(names = "--anew", description = "forgets the parts that an interrupted run of the same classes has kept")
    private boolean anew;

    @Option(names = "--value-bytes", split = ",", paramLabel = "N", defaultValue = "150,690", description = "sizes of values (${DEFAULT-VALUE})")
    private List<Integer> valueBytes;

    @Option(names = "--stores", split = ",", paramLabel = "STORE", description = "to compare with: rocksdb, lmdb, mvstore (all; with --workload none)")
    private List<Kind> stores;

    @Option(names = "--workload", split = ",", paramLabel = "NAME", description = "instead: these workloads of db_bench, in this order, by its names: "
            + "fillseq, fillrandom, fillsync, readrandom, readmissing, readseq, compact")
    private List<Workloads.Workload> workloads;

    @Option(names = "--num", paramLabel = "N", defaultValue = "1000000", description = "with --workload: records, and reads (${DEFAULT-VALUE})")
    private long records;

    @Option(names = "--inner", description = "instead: the parts of a get and a put by JMH, with the bytes they allocate (two minutes)")
    private boolean inner;

    @Option(names = "--folder", paramLabel = "DIR", required = true, hidden = true, description = "where the stores are while they are measured")
    private Path folder;

    @Option(names = "--root", paramLabel = "DIR", required = true, hidden = true, description = "of the project")
    private Path root;

    @Option(names = "--git", paramLabel = "REVISION", defaultValue = "unknown", hidden = true, description = "of the project")
    private String git;

    @Spec
    private CommandLine.Model.CommandSpec spec;

    public static void main(String[] arguments) {
        CommandLine command = new CommandLine(new Main()).setCaseInsensitiveEnumValuesAllowed(true);
        command.setParameterExceptionHandler((e, a) -> {
            System.err.printf("bench: %s; scripts/bench --help lists all options%n", e.getMessage());
            return command.getCommandSpec().exitCodeOnInvalidInput();
        });
        command.setExecutionExceptionHandler((e, _, _) -> {
            if (Leftovers.areBeingRemoved()) {
                return command.getCommandSpec().exitCodeOnExecutionException();
            }
            throw e;
        });
        System.exit(command.execute(arguments));
    }

    @Override
    public Integer call() throws IOException, InterruptedException, RunnerException {
        if (inner) {
            new Runner(new OptionsBuilder().include(Inner.class.getSimpleName()).addProfiler(GCProfiler.class)
                    .jvmArgsAppend("-Xmx128m", "--enable-native-access=ALL-UNNAMED").build()).run();
            return 0;
        }
        Leftovers.keepOut(folder);
        if (workloads != null) {
            return dbBench();
        }
        if (stores == null) {
            stores = List.of(Kind.ROCKSDB, Kind.LMDB, Kind.MVSTORE);
        }
        Report report = new Report(full ? "full" : "quick", stores);
        Parts<Report.Found> parts = new Parts<>(partsFolder(full), report.mode(), List.of(), Report.Found.class, found -> found.failures().isEmpty());
        if (anew) {
            parts.forget();
        }
        for (int bytes : valueBytes) {
            for (Kind other : stores) {
                plan(parts, report, "values of %d bytes beside %s".formatted(bytes, other.title), part -> compare(bytes, other, part));
            }
        }
        for (double gigabytes : full ? new double[] {0.3, 3, 12} : new double[] {0.03, 0.3}) {
            plan(parts, report, "%s GB alone".formatted(gigabytes), part -> alone(gigabytes, part));
        }
        List<Kind> others = stores.stream().filter(store -> store != Kind.MVSTORE).toList();
        for (int bytes : IntStream.of(16, 16 << 10).filter(bytes -> !valueBytes.contains(bytes)).toArray()) {
            for (Kind other : others) {
                plan(parts, report, "reads of values of %d bytes beside %s".formatted(bytes, other.title), part -> sized(bytes, other, part));
            }
        }
        for (Kind other : others) {
            plan(parts, report, "memory for a quarter of the data beside %s".formatted(other.title), part -> limited(other, part));
        }
        plan(parts, report, "many tables", this::openManyTables);
        List<Parts.Done> done = parts.run(report::add);
        report.print(System.out);
        if (full && stores.size() == Kind.values().length - 1) {
            System.out.println("kept as " + save("bench", report.row(done)));
        } else {
            System.out.println("not kept: only a full run of all stores is");
        }
        Path page = folder.resolveSibling("bench.html");
        report.write(page);
        System.out.println("as charts: " + page);
        if (report.found().failures().isEmpty()) { // or the next run goes on with what failed
            parts.forget();
        }
        return 0;
    }

    private interface Measurement {
        void into(Report report) throws IOException;
    }

    private static void plan(Parts<Report.Found> parts, Report whole, String name, Measurement measurement) {
        parts.plan(name, () -> {
            Report report = whole.ofPart();
            measurement.into(report);
            return report.found();
        });
    }

    private int dbBench() throws IOException {
        if (records < 2) {
            throw new ParameterException(spec.commandLine(), "--num is %d, it must be at least 2".formatted(records));
        }
        List<Kind> compared = new ArrayList<>(List.of(Kind.LSM));
        compared.addAll(stores == null ? List.of() : stores);
        try {
            for (int bytes : valueBytes) {
                new Workloads(workloads, records, bytes).run(compared.stream().distinct().toList(), folder);
            }
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage());
        }
        return 0;
    }

    Path root() {
        return root;
    }

    Path folder() {
        return folder;
    }

    /** Those of a row are among the data: another machine can go on with them. */
    Path partsFolder(boolean ofRow) {
        return ofRow ? root.resolve("data/unfinished") : folder.resolveSibling("bench-parts");
    }

    /** Keeps a full run; returns where. */
    Path save(String experiment, Map<String, Object> content) throws IOException {
        return new Row(experiment, git).save(root.resolve("data/results"), content);
    }

    /** NaN if there are none. */
    static double median(List<Double> values) {
        return values.isEmpty() ? Double.NaN : values.stream().sorted().toList().get(values.size() / 2);
    }

    static void progress(String what, Object... values) {
        System.err.printf(Locale.ROOT, what + "%n", values);
    }

    private long dataBytes() {
        return full ? FULL_BYTES : QUICK_BYTES;
    }

    private void compare(int bytes, Kind other, Report report) throws IOException {
        try (Comparison comparison = new Comparison(folder, dataBytes(), bytes, other, full, "", report)) {
            comparison.everything();
        }
    }

    /** What a get costs as the data grow, all of them in memory. */
    private void alone(double gigabytes, Report report) throws IOException {
        try (Comparison comparison = new Comparison(folder, (long) (gigabytes * 1e9), USUAL_VALUE_BYTES, Kind.LSM, full, ", %s GB".formatted(gigabytes), report)) {
            comparison.fillAndReads();
        }
    }

    /** Values far smaller and far larger than the usual ones. Of small ones there are as many, so fewer bytes. */
    private void sized(int bytes, Kind other, Report report) throws IOException {
        try (Comparison comparison = new Comparison(folder, dataBytes() * Math.min(bytes, USUAL_VALUE_BYTES) / USUAL_VALUE_BYTES, bytes, other, full, "", report)) {
            comparison.fillAndReads();
        }
    }

    private void limited(Kind other, Report report) throws IOException {
        long bytes = Math.max(dataBytes(), LEAST_LIMITED_BYTES);
        try (Comparison comparison = new Comparison(folder, bytes, USUAL_VALUE_BYTES, other, full, ", before memory is limited", report)) {
            comparison.limited(bytes / 4);
        }
    }

    private void openManyTables(Report report) throws IOException {
        int tables = full ? 1_000 : 100;
        try (Child child = new Child(Kind.LSM, folder.resolve("many-tables"), dataBytes() / 690, 690)) {
            report.progress("this engine: fill " + tables + " tables");
            child.ask("fill-tables " + tables);
            for (int round = 0; round < Comparison.PAIRS; round++) {
                report.add(690, "open " + tables + " tables", Kind.LSM, Kind.LSM, child.ask("open-tables"));
            }
        }
    }
}
