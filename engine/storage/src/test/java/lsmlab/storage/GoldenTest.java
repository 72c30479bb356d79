// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import static lsmlab.storage.Bytes.of;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import lsmlab.storage.compaction.CompactionPolicy;
import lsmlab.storage.compaction.Job;
import lsmlab.storage.compaction.LeveledPolicy;
import lsmlab.storage.compaction.Run;
import lsmlab.storage.compaction.SortedTable;
import lsmlab.storage.compaction.TieredPolicy;
import lsmlab.storage.options.Compaction;
import lsmlab.storage.options.MergePolicy;
import lsmlab.storage.options.Options;
import lsmlab.storage.options.Wal;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Texts in src/test/golden: a command on a line, four dashes, what it should say, an empty line. -Dgolden.rewrite=true writes down what it says now.
 */
class GoldenTest {
    private static final Path GOLDEN = Path.of("src/test/golden");
    private static final String DASHES = "----";

    private interface Interpreter {
        /** What the command says, one or several lines. */
        String run(String command, String[] words) throws IOException;
    }

    @ParameterizedTest
    @ValueSource(strings = {"tiered-policy", "leveled-policy"})
    void policies(String name) throws IOException {
        compare(name, new PolicyInterpreter()::run);
    }

    @ParameterizedTest
    @ValueSource(strings = {"disk-trace", "shapes"})
    void engine(String name) throws IOException {
        compare(name, new EngineInterpreter()::run);
    }

    private static void compare(String name, Interpreter interpreter) throws IOException {
        Path file = GOLDEN.resolve(name + ".txt");
        String expected = Files.readString(file);
        StringBuilder actual = new StringBuilder();
        boolean inAnswer = false;
        for (String line : expected.lines().toList()) {
            if (line.isBlank()) {
                inAnswer = false;
            } else if (line.startsWith("#")) {
                actual.append(line).append('\n');
            } else if (line.equals(DASHES)) {
                inAnswer = true;
            } else if (!inAnswer) {
                actual.append(line).append('\n').append(DASHES).append('\n').append(interpreter.run(line, line.split(" "))).append("\n\n");
            }
        }
        if (Boolean.getBoolean("golden.rewrite")) {
            Files.writeString(file, actual);
        }
        assertEquals(expected, actual.toString());
    }

    /** A table that is only a range and a size. */
    private record Sketch(long number, String first, String last, long bytes) implements SortedTable {
        @Override
        public MemorySegment firstKey() {
            return of(first);
        }

        @Override
        public MemorySegment lastKey() {
            return of(last);
        }
    }

    /** {@code tiered RUNS}, {@code leveled L0RUNS}; {@code bound RUNS}: tiered from now on; {@code flush a-z 1}: megabytes; {@code choose}; {@code run}: until nothing is chosen. */
    private static final class PolicyInterpreter {
        private static final long MB = 1_000_000;

        private CompactionPolicy policy;
        private List<Run<Sketch>> runs = List.of();
        private long number;
        private long flushed;
        private long merged;

        String run(String command, String[] words) {
            return switch (words[0]) {
                case "tiered" -> start(new TieredPolicy(MergePolicy.BINOMIAL, Integer.parseInt(words[1]), Long.MAX_VALUE));
                case "leveled" -> start(new LeveledPolicy(Integer.parseInt(words[1]), 4 * MB, 2 * MB));
                case "bound" -> {
                    policy = new TieredPolicy(MergePolicy.BINOMIAL, Integer.parseInt(words[1]), Long.MAX_VALUE);
                    yield shape();
                }
                case "flush" -> {
                    flush(words[1], Long.parseLong(words[2]) * MB);
                    yield shape();
                }
                case "choose" -> policy.choose(runs).map(GoldenTest::text).orElse("nothing");
                case "run" -> runAll();
                case "simulate" -> simulate(Integer.parseInt(words[1]));
                default -> throw new IllegalArgumentException(command);
            };
        }

        private String start(CompactionPolicy policy) {
            this.policy = policy;
            runs = List.of();
            number = 0;
            flushed = 0;
            merged = 0;
            return "empty";
        }

        private void flush(String range, long bytes) {
            String[] ends = range.split("-");
            List<Run<Sketch>> after = new ArrayList<>(runs);
            after.addFirst(new Run<>(0, ++number, List.of(new Sketch(number, ends[0], ends[1], bytes))));
            runs = List.copyOf(after);
            flushed += bytes;
        }

        private String runAll() {
            List<String> said = new ArrayList<>();
            for (Optional<Job<Sketch>> job = policy.choose(runs); job.isPresent(); job = policy.choose(runs)) {
                said.add(GoldenTest.text(job.get()));
                merge(job.get());
            }
            said.add(shape());
            return String.join("\n", said);
        }

        /** The outputs span the inputs and are as long together; where they are cut, keys are named after the first one's. */
        private void merge(Job<Sketch> job) {
            String first = job.tables().stream().map(Sketch::first).min(Comparator.naturalOrder()).orElseThrow();
            String last = job.tables().stream().map(Sketch::last).max(Comparator.naturalOrder()).orElseThrow();
            merged += job.bytes();
            runs = job.applyTo(runs, List.of(new Sketch(++number, first, last, job.bytes())));
        }

        private String simulate(int flushes) {
            int most = 0;
            for (int i = 0; i < flushes; i++) {
                flush("a-z", MB);
                for (Optional<Job<Sketch>> job = policy.choose(runs); job.isPresent(); job = policy.choose(runs)) {
                    merge(job.get());
                }
                most = Math.max(most, runs.size());
            }
            return String.format(Locale.ROOT, "at most %d runs, %.2f bytes written per byte flushed", most,
                    (double) (flushed + merged) / flushed);
        }

        private String shape() {
            return runs.isEmpty() ? "empty" : GoldenTest.text(runs);
        }
    }

    private static String text(Job<Sketch> job) {
        return "merge %s -> L%d%s because %s".formatted(text(job.inputs()), job.level(), job.dropTombstones() ? ", tombstones go," : "",
                job.because());
    }

    private static String text(List<Run<Sketch>> runs) {
        return runs.stream().map(run -> "L" + run.level() + run.tables().stream()
                .map(t -> "[%s-%s %d]".formatted(t.first(), t.last(), t.bytes() / 1_000_000)).collect(Collectors.joining()))
                .collect(Collectors.joining(" "));
    }

    /** {@code open [leveled|none] [sync|none]}, {@code put k v}, {@code delete k}, {@code flush}, ...; each says the changes of the disk. */
    private static final class EngineInterpreter {
        private final MemoryDisk disk = new MemoryDisk();
        private Engine engine;
        private int told;

        String run(String command, String[] words) throws IOException {
            switch (words[0]) {
                case "open" -> engine = Engine.open(disk, options(words));
                case "put" -> engine.put(of(words[1]), of(words[2]));
                case "delete" -> engine.delete(of(words[1]));
                case "flush" -> {
                    engine.flush();
                    awaitQuiet();
                }
                case "compact" -> {
                    engine.flush();
                    awaitQuiet();
                    engine.compact();
                    awaitQuiet();
                }
                case "close" -> engine.close();
                case "shape" -> {
                    return engine.shape();
                }
                case "scan" -> {
                    return Bytes.text(engine.scan(null, null));
                }
                case "explain" -> {
                    return String.join("\n", engine.explain(of(words[1])));
                }
                default -> throw new IllegalArgumentException(command);
            }
            List<String> all = disk.trace();
            String changes = all.size() == told ? "no change" : String.join("\n", all.subList(told, all.size()));
            told = all.size();
            return changes;
        }

        /** A log goes a moment after its table was published. */
        private void awaitQuiet() throws IOException {
            engine.awaitCompactions();
            while (disk.list().stream().anyMatch(name -> name.endsWith(".log"))) {
                Thread.onSpinWait();
            }
        }

        private static Options options(String[] words) {
            Options options = Options.defaults().withCompaction(Compaction.NONE);
            for (String word : List.of(words).subList(1, words.length)) {
                options = switch (word) {
                    case "tiered" -> options.withCompaction(Compaction.TIERED);
                    case "leveled" -> options.withCompaction(Compaction.LEVELED);
                    case "sync" -> options.withWal(Wal.SYNC);
                    case "unlogged" -> options.withWal(Wal.NONE);
                    default -> throw new IllegalArgumentException(word);
                };
            }
            return options;
        }
    }
}
