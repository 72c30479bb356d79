// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.grading;

import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.text.Normalizer;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import lsmlab.lab.environment.Text;
import lsmlab.lab.measure.ComparisonRun;
import lsmlab.lab.measure.Generator;
import lsmlab.lab.measure.Load;
import lsmlab.lab.measure.Outcome;
import lsmlab.lab.measure.PairedRatio;
import lsmlab.lab.measure.Rounds;
import lsmlab.lab.measure.Run;
import lsmlab.lab.notebook.CellClass;
import lsmlab.lab.notebook.Chart;
import lsmlab.lab.process.Server;
import lsmlab.lab.process.ServerProcess;
import lsmlab.lab.show.Charts;
import lsmlab.load.result.LoadResult;
import lsmlab.load.result.Pair;
import lsmlab.load.result.RoundsResult;
import lsmlab.load.result.Slice;
import lsmlab.storage.MergeSimulation;
import lsmlab.storage.assembled.Parts;
import lsmlab.storage.options.MergePolicy;

/**
 * What the checks of an assignment are made of: numbers of the student's own, conditions that say what is wrong, a limit of time. An
 * {@link AssertionError} is a check that found something.
 */
public final class Assignment {
    private static final int KEY_LETTERS = 12;
    private static final int FRAMES = 3;
    private static final String INCONCLUSIVE = "inconclusive: ";
    /** A student's part of the recording: in how many places before the stall it may begin, and how many requests it has. */
    private static final int FIRST_RECORDED = 500;
    private static final int RECORDED = 2_000;
    private static final int LATEST_MOMENT_MS = 1_000;

    private final String name;
    private final String student;

    /** @param claimed the name the student put in; where work is graded, the one under which it was handed in counts */
    public Assignment(String name, String claimed) {
        this.name = name;
        String handedInBy = Grading.handedInBy();
        student = Normalizer.normalize(handedInBy == null ? claimed.strip() : handedInBy, Normalizer.Form.NFC).toLowerCase(Locale.ROOT);
        if (student.isEmpty()) {
            throw new IllegalArgumentException("put your name into the first cell");
        }
        Generator.useOwn();
        if (CellClass.isInNotebook()) {
            OwnNames.taken(CellClass.shell()).ifPresent(taken -> {
                throw new AssertionError(OwnNames.message(taken));
            });
        }
    }

    /** The same number whenever this student works on this assignment. */
    public int seed() {
        CRC32C sum = new CRC32C();
        sum.update((name + "/" + student).getBytes(StandardCharsets.UTF_8));
        return (int) (sum.getValue() & Integer.MAX_VALUE);
    }

    private Random random(String purpose) {
        return new Random(seed() * 31L + purpose.hashCode());
    }

    /** One of these, the student's own. */
    @SafeVarargs
    public final <T> T choice(String purpose, T... options) {
        return options[random(purpose).nextInt(options.length)];
    }

    /** Different keys in ascending order, the student's own; those of one purpose are not among those of another. */
    public byte[][] keys(int count, String purpose) {
        Random random = random(purpose);
        Set<String> keys = new HashSet<>();
        while (keys.size() < count) {
            keys.add("k" + random.ints(KEY_LETTERS, 'a', 'z' + 1).mapToObj(Character::toString).collect(Collectors.joining()));
        }
        return keys.stream().sorted().map(key -> key.getBytes(StandardCharsets.US_ASCII)).toArray(byte[][]::new);
    }

    /** Says that a condition holds, or what is wrong; byte arrays among the values are shown as text. */
    public void check(boolean condition, String otherwise, Object... values) {
        if (condition) {
            Grading.passed();
        } else {
            throw new AssertionError(otherwise.formatted(Stream.of(values)
                    .map(value -> value instanceof byte[] key ? new String(key, StandardCharsets.ISO_8859_1) : value).toArray()));
        }
    }

    /** What the work returns, if it does within the time; else an error that says where it is. */
    public <T> T within(String limit, Callable<T> work) throws Exception {
        Duration time = Text.duration(limit);
        CompletableFuture<T> result = new CompletableFuture<>();
        Thread thread = Thread.ofPlatform().daemon().name("student's code").start(() -> {
            try {
                result.complete(work.call());
            } catch (Throwable e) {
                result.completeExceptionally(e);
            }
        });
        try {
            return result.get(time.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            throw new AssertionError("not done within %s; it is here:\n%s".formatted(limit, where(thread)));
        } catch (ExecutionException e) {
            switch (e.getCause()) {
                case Exception thrown -> throw thrown;
                case Error thrown -> throw thrown;
                default -> throw e;
            }
        }
    }

    /** The same for what returns nothing. */
    public void within(String limit, Runnable work) throws Exception {
        within(limit, () -> {
            work.run();
            return null;
        });
    }

    private static String where(Thread thread) {
        return Stream.of(thread.getStackTrace()).filter(frame -> frame.getClassName().startsWith("REPL.")).limit(FRAMES)
                .map(frame -> "    " + frame).collect(Collectors.joining("\n"));
    }

    /** Memory of an object's fields in bits. They may be numbers and arrays of numbers: what else could hold the keys themselves. */
    public long bits(Object object) throws IllegalAccessException {
        long bits = 0;
        for (Class<?> type = object.getClass(); type != Object.class; type = type.getSuperclass()) {
            for (Field field : type.getDeclaredFields()) {
                boolean constant = Modifier.isStatic(field.getModifiers()) && Modifier.isFinal(field.getModifiers()) && field.getType().isPrimitive();
                if (!constant) {
                    check(!Modifier.isStatic(field.getModifiers()), "%s is static: it would be shared by all tables", field.getName());
                    field.setAccessible(true);
                    bits += bits(field.getName(), field.getType(), field.get(object));
                }
            }
        }
        return bits;
    }

    private long bits(String field, Class<?> type, Object value) {
        if (type.isPrimitive()) {
            return 0; // a constant number of them, whatever the number of keys
        }
        check(type.isArray(), "%s is no number and no array of numbers", field);
        Class<?> part = type.getComponentType();
        if (value == null) {
            return 0;
        }
        int length = Array.getLength(value);
        if (part.isPrimitive()) {
            return length * switch (part.getName()) {
                case "long", "double" -> 64L;
                case "int", "float" -> 32L;
                case "short", "char" -> 16L;
                default -> 8L;
            };
        }
        return Stream.of((Object[]) value).mapToLong(inner -> bits(field, part, inner)).sum();
    }

    /** Bytes of what is alive in this kernel. */
    public long heapBytes() {
        System.gc();
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }

    /** Runs a merge policy without a store; sizes of flushes are all 1, or vary by the student's own numbers. */
    public MergeSimulation simulate(MergePolicy policy, int maxRuns, long flushes, boolean varied) throws Exception {
        Random random = random("sizes");
        return within("20s", () -> MergeSimulation.of(policy, maxRuns, flushes, () -> varied ? 1 + random.nextInt(4) : 1));
    }

    /** By the engine's own policy, {@link MergePolicy#BINOMIAL}. */
    public double leastWriteAmplification(int maxRuns, long flushes) {
        return MergeSimulation.of(MergePolicy.BINOMIAL, maxRuns, flushes, () -> 1).writeAmplification();
    }

    /** Offers a queue three times the requests that one worker serves, for this long; {@code service} is the worker's time for each. */
    public Overload overload(BlockingQueue<Runnable> queue, String service, String length) throws Exception {
        return within("30s", () -> Overload.of(queue, Text.duration(service), Text.duration(length)));
    }

    /**
     * That a compiled class is a piece of work of its own, and does not call the part of the engine in whose place it stands.
     *
     * @param allowed types of the engine that it may use, with their static methods and nested types: the interface that it implements
     */
    public void ownWork(CellClass compiled, Class<?>... allowed) {
        List<String> used = compiled.enginesParts().stream()
                .filter(name -> Stream.of(allowed).map(Class::getName).noneMatch(may -> name.equals(may) || name.startsWith(may + "$"))).toList();
        check(used.isEmpty(), "%s uses what is to be built here: %s", compiled.name(), String.join(", ", used));
    }

    /** A part of a recorded stall, the student's own, with the stall in it. */
    public Recording recordedStall() {
        return Recording.read().part(random("stall").nextInt(FIRST_RECORDED), RECORDED);
    }

    /** A recorded run, the student's own. */
    public Tail recordedTail() {
        List<Tail> all = recordedTails();
        return all.get(random("tail").nextInt(all.size()));
    }

    /** All recorded runs; times begin at the student's own moment. */
    public List<Tail> recordedTails() {
        double moment = random("moment").nextInt(LATEST_MOMENT_MS);
        return Tail.recordings().stream().map(tail -> tail.earlier(moment)).toList();
    }

    /** Trials of a student's parts of a store. */
    public PartsTrial trial(Parts parts) {
        return new PartsTrial(parts, seed());
    }

    /** Does the work while the server is stopped for a while, as a long pause would. */
    public <T> T during(Server server, String after, String length, Callable<T> work) throws Exception {
        try (var _ = ServerProcess.of(server).freeze(Text.duration(after), Text.duration(length))) {
            return within("30s", work);
        }
    }

    /** Times in microseconds by percentile. */
    public Chart percentiles(Map<String, long[]> micros) {
        return Charts.percentiles(name + ", " + student, micros);
    }

    /**
     * How many times the other's a value is, where two took turns; see {@link PairedRatio}.
     *
     * @throws IllegalStateException when the load generator may be what was measured
     */
    public PairedRatio ratio(Rounds rounds, String name, String other, ToDoubleFunction<Run> value) {
        refuseWarnings(rounds.all().stream().map(Run::result));
        return PairedRatio.of(rounds.runs(name), rounds.runs(other), value);
    }

    private static void refuseWarnings(Stream<LoadResult> results) {
        results.map(LoadResult::warning).filter(Objects::nonNull).findFirst().ifPresent(warning -> {
            throw new IllegalStateException(INCONCLUSIVE + warning);
        });
    }

    /**
     * Loads a reference and the student's work in turns, a slice of this length each in every round, in a shuffled order. Both must have run for as long.
     *
     * @throws IllegalArgumentException unless the load is a closed loop: at a rate the plan would decide the throughput
     */
    public RoundsResult inTurns(Load load, int rounds, String slice, Server reference, Server mine) {
        return ComparisonRun.inTurns(load, rounds, Text.duration(slice), reference, mine);
    }

    /**
     * How many times the reference's a value of the student's is, in the rounds that count; see {@link PairedRatio}.
     *
     * @throws IllegalStateException as above
     */
    public PairedRatio ratio(RoundsResult rounds, ToDoubleFunction<Slice> value) {
        refuseWarnings(rounds.targets().stream());
        return PairedRatio.of(Pair.of(rounds.slices(), 0, 1).stream().mapToDouble(pair -> Math.log(value.applyAsDouble(pair.target()) / value.applyAsDouble(pair.base()))).toArray());
    }

    /** A check of what was measured. What lies within the machine's own noise is neither right nor wrong: the teacher decides. */
    public void decide(String what, Outcome outcome) {
        check(outcome != Outcome.NO, "not so: %s", what);
        if (outcome == Outcome.INCONCLUSIVE) {
            throw new IllegalStateException(INCONCLUSIVE + what);
        }
    }

    @Override
    public String toString() {
        return "assignment %s, %s".formatted(name, student);
    }
}
