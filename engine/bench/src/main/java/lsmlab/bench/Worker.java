// SPDX-License-Identifier: Apache-2.0
package lsmlab.bench;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;

/**
 * The process of one store: does what a line on its input says, answers with one line of JSON, and ends with its input. Arguments: kind,
 * folder, records, bytes of a value, records that are there.
 */
final class Worker {
    private static final int CHECK_EVERY = 1 << 10;
    private static final int LOOK_AT_RUNS_EVERY = 1 << 16;
    private static final com.sun.management.ThreadMXBean THREADS = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();

    private final Kind kind;
    private final Path folder;
    private final Data data;
    private final int valueBytes;
    private Store store;
    private long filled; // records that the open store holds
    private int mostRuns; // that were seen while it was filled
    private long writtenBefore; // bytes that the process had written when the fill began
    private Ycsb.Zipf zipf; // over what was filled
    private final AtomicLong inserted = new AtomicLong(); // the number of the next record that YCSB inserts
    private long ycsbClients; // so far: each draws other records
    private final Value read = new Value();
    private long written; // operations of timed turns so far
    private long gets; // how many of the random order were asked

    private Worker(Kind kind, Path folder, long records, int valueBytes, long filled) {
        this.kind = kind;
        this.folder = folder;
        this.valueBytes = valueBytes;
        this.filled = filled;
        data = new Data(records, valueBytes);
        inserted.set(records);
    }

    public static void main(String[] arguments) throws Exception {
        Worker worker = new Worker(Kind.valueOf(arguments[0]), Path.of(arguments[1]), Long.parseLong(arguments[2]), Integer.parseInt(arguments[3]), Long.parseLong(arguments[4]));
        Leftovers.endWithParent(Path.of(arguments[1]));
        ObjectMapper json = new ObjectMapper();
        BufferedReader commands = new BufferedReader(new InputStreamReader(System.in));
        for (String line = commands.readLine(); line != null; line = commands.readLine()) {
            System.out.println(json.writeValueAsString(worker.run(line.split(" "))));
        }
        worker.close();
    }

    private Map<String, Object> run(String[] command) throws Exception {
        return switch (command[0]) {
            case "open" -> timed(() -> store = kind.open(folder, command[1].equals("synced"), data.records() * (valueBytes + Data.KEY_BYTES) * 3 / 2, false));
            case "open-limited" -> timed(() -> store = kind.open(folder, false, Long.parseLong(command[1]), true));
            case "fill-random" -> fill(Integer.parseInt(command[1]), Integer.parseInt(command[2]), seconds(command), true);
            case "fill-sequential" -> fill(Integer.parseInt(command[1]), Integer.parseInt(command[2]), seconds(command), false);
            case "compact" -> timed(() -> store.compact());
            case "get-existing" -> gets(seconds(command), true);
            case "get-missing" -> gets(seconds(command), false);
            case "view-existing" -> asked(seconds(command), true, record -> store.view(data.key(record)));
            case "get-together" -> getsTogether(Integer.parseInt(command[1]), seconds(command));
            case "read-random" -> gets(Double.POSITIVE_INFINITY, true);
            case "read-missing" -> gets(Double.POSITIVE_INFINITY, false);
            case "scan" -> scan();
            case "warm" -> timed(() -> store.scan(data.key(0), Integer.MAX_VALUE, read));
            case "mixed" -> settled(mixed(seconds(command)));
            case "ycsb" -> settled(ycsb(Ycsb.valueOf(command[1]), seconds(command)));
            case "fill-batches" -> settled(fillBatches(Integer.parseInt(command[1]), Integer.parseInt(command[2]), seconds(command)));
            case "fill-synced" -> settled(fillSynced(Integer.parseInt(command[1]), seconds(command)));
            case "fill-tables" -> fillTables(Integer.parseInt(command[1]));
            case "open-tables" -> timed(() -> LsmStore.manyTables(folder, 1).close());
            case "close" -> close();
            default -> throw new IllegalArgumentException(command[0]);
        };
    }

    private static double seconds(String[] command) {
        return Double.parseDouble(command[command.length - 1]);
    }

    private interface Task {
        void run() throws Exception;
    }

    private Map<String, Object> close() throws IOException {
        if (store != null) {
            store.close();
            store = null;
        }
        return Map.of("diskBytes", diskBytes());
    }

    private static Map<String, Object> timed(Task task) throws Exception {
        long start = System.nanoTime();
        task.run();
        return Map.of("seconds", (System.nanoTime() - start) / 1e9);
    }

    /** Puts this part of the records and what the parts before left out, or as many as the time allows, and lets the store settle. */
    private Map<String, Object> fill(int part, int parts, double maxSeconds, boolean random) throws Exception {
        if (part == 1) {
            filled = 0;
            mostRuns = 0;
            writtenBefore = writtenBytes();
        }
        long first = filled;
        long allocated = THREADS.getCurrentThreadAllocatedBytes();
        long start = System.nanoTime();
        Histogram times = Answer.times();
        filled = put(store, first, data.records() * part / parts, maxSeconds, random, times);
        long count = filled - first;
        Map<String, Object> result = Answer.rate(count, System.nanoTime() - start, times);
        result.put("filledShare", (double) filled / data.records());
        result.put("allocatedBytesPerOperation", (double) (THREADS.getCurrentThreadAllocatedBytes() - allocated) / count);
        mostRuns = Math.max(mostRuns, store.runs());
        store.settle();
        result.put("secondsWithSettling", (System.nanoTime() - start) / 1e9);
        result.put("mostRuns", mostRuns);
        result.put("settledRuns", store.runs());
        result.put("writtenBytes", writtenBytes() - writtenBefore); // since the first part, like the next
        result.put("userBytes", filled * (valueBytes + Data.KEY_BYTES));
        return result;
    }

    /** Records from the first to before the last; returns how far it came. */
    private long put(Store into, long first, long end, double maxSeconds, boolean random, Histogram times) throws Exception {
        byte[] value = data.newValue();
        long start = System.nanoTime();
        long before = start;
        long i = first;
        for (; i < end && before - start < maxSeconds * 1e9; i++) {
            long record = random ? data.shuffled(i) : i;
            into.put(data.key(record), data.value(record, value));
            long after = System.nanoTime();
            times.recordValue(after - before);
            before = after;
            if (i % LOOK_AT_RUNS_EVERY == 0) {
                mostRuns = Math.max(mostRuns, into.runs());
                before = System.nanoTime();
            }
        }
        return i;
    }

    /** Only for this engine: the records in this many tables, each a run of its own. */
    private Map<String, Object> fillTables(int tables) throws Exception {
        return timed(() -> {
            try (LsmStore many = LsmStore.manyTables(folder, data.records() * (valueBytes + Data.KEY_BYTES) / tables)) {
                put(many, 0, data.records(), Double.POSITIVE_INFINITY, true, Answer.times());
            }
        });
    }

    /** For this long; without a limit as many as there are records. */
    private Map<String, Object> gets(double seconds, boolean existing) throws Exception {
        return asked(seconds, existing, record -> store.get(existing ? data.key(record) : data.missingKey(record), read));
    }

    private interface Question {
        boolean isThere(long record) throws Exception;
    }

    private Map<String, Object> asked(double seconds, boolean existing, Question question) throws Exception {
        long most = Double.isInfinite(seconds) ? data.records() : Long.MAX_VALUE;
        long allocated = THREADS.getCurrentThreadAllocatedBytes();
        long start = System.nanoTime();
        long found = 0;
        long i = 0;
        for (; i < most && (i % CHECK_EVERY != 0 || System.nanoTime() - start < seconds * 1e9); i++) {
            found += question.isThere(data.shuffled((gets++ * 7_919) % filled)) ? 1 : 0;
        }
        if (found != (existing ? i : 0)) {
            throw new IllegalStateException("%d of %d keys were found".formatted(found, i));
        }
        Map<String, Object> result = Answer.rate(i, System.nanoTime() - start);
        result.put("allocatedBytesPerOperation", (double) (THREADS.getCurrentThreadAllocatedBytes() - allocated) / i);
        return result;
    }

    /** Of existing keys, {@code count} in each call. */
    private Map<String, Object> getsTogether(int count, double seconds) throws Exception {
        long start = System.nanoTime();
        long i = 0;
        while (System.nanoTime() - start < seconds * 1e9) {
            List<byte[]> keys = new ArrayList<>(count);
            for (int n = 0; n < count; n++) {
                keys.add(data.key(data.shuffled((gets++ * 7_919) % filled)));
            }
            if (store.getAll(keys, read) != count) {
                throw new IllegalStateException("of %d keys some were not found".formatted(count));
            }
            i += count;
        }
        return Answer.rate(i, System.nanoTime() - start);
    }

    private Map<String, Object> scan() throws Exception {
        int entries = (int) Math.min(1_000_000, filled / 2);
        long first = data.records() / 4;
        long start = System.nanoTime();
        long sum = store.scan(data.key(first), entries, read);
        Map<String, Object> result = Answer.rate(entries, System.nanoTime() - start);
        result.put("sum", sum);
        return result;
    }

    /** Whatever the store still does for these operations is done now, and not in the turn of another; the next ones go on where they ended. */
    private Map<String, Object> settled(Map<String, Object> answer) throws Exception {
        written += (long) answer.get("operations");
        long start = System.nanoTime();
        store.settle();
        answer.put("secondsWithSettling", (double) answer.get("seconds") + (System.nanoTime() - start) / 1e9);
        return answer;
    }

    /** Two threads, each puts and gets in turns. */
    private Map<String, Object> mixed(double seconds) throws Exception {
        long first = written;
        return Callers.run(2, seconds, data, 1, (caller, i) -> {
            long record = data.shuffled((first + i * 2 + caller.number()) % filled);
            if (i % 2 == 0) {
                store.put(data.key(record), data.value(record, caller.value()));
            } else {
                store.get(data.key(record), caller.read());
            }
        });
    }

    /** Two threads. */
    private Map<String, Object> ycsb(Ycsb workload, double seconds) throws Exception {
        if (zipf == null) {
            zipf = new Ycsb.Zipf(filled);
        }
        List<Ycsb.Client> clients = LongStream.range(0, 2).mapToObj(_ -> workload.new Client(store, data, inserted, zipf, ycsbClients++)).toList();
        return Callers.run(clients.size(), seconds, data, 1, (caller, _) -> clients.get(caller.number()).next(caller.value(), caller.read()));
    }

    private Map<String, Object> fillSynced(int count, double seconds) throws Exception {
        long first = written;
        return Callers.run(count, seconds, data, 1, (caller, i) -> {
            long record = (first + i * count + caller.number()) % data.records();
            store.put(data.key(data.shuffled(record)), data.value(record, caller.value()));
        });
    }

    /** Making the keys and values is a part of the time. */
    private Map<String, Object> fillBatches(int count, int threads, double seconds) throws Exception {
        List<List<byte[]>> values = IntStream.range(0, threads).mapToObj(_ -> Stream.generate(data::newValue).limit(count).toList()).toList();
        long first = written;
        return Callers.run(threads, seconds, data, count, (caller, i) -> {
            List<byte[]> own = values.get(caller.number());
            List<byte[]> keys = new ArrayList<>(count);
            for (int n = 0; n < count; n++) {
                long record = data.shuffled((first + (i * threads + caller.number()) * count + n) % data.records());
                keys.add(data.key(record));
                data.value(record, own.get(n));
            }
            store.putAll(keys, own);
        });
    }

    /** Bytes that this process has given to write calls so far; -1 where the system does not report it. */
    private static long writtenBytes() {
        try (var lines = Files.lines(Path.of("/proc/self/io"))) {
            return lines.filter(line -> line.startsWith("wchar: ")).mapToLong(line -> Long.parseLong(line.substring(7))).findFirst().orElse(-1);
        } catch (IOException | UncheckedIOException e) {
            return -1;
        }
    }

    /** Bytes that the files take on the disk. */
    private long diskBytes() {
        try (var files = Files.walk(folder)) {
            return files.filter(Files::isRegularFile).mapToLong(file -> {
                try {
                    return 512 * ((Number) Files.getAttribute(file, "unix:blocks")).longValue();
                } catch (IOException | UnsupportedOperationException | IllegalArgumentException e) {
                    return file.toFile().length();
                }
            }).sum();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
