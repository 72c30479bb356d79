// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.grading;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;
import lsmlab.lab.environment.Workspace;
import lsmlab.storage.assembled.AssembledStore;
import lsmlab.storage.assembled.KeyValue;
import lsmlab.storage.assembled.Log;
import lsmlab.storage.assembled.Memtable;
import lsmlab.storage.assembled.Parts;
import lsmlab.storage.assembled.SortedTable;

/**
 * Holds a student's parts of a store against a model, a sorted map of the JDK. Each trial does the same for the same seed, and an {@link AssertionError} says what was asked, what the
 * model answers, and what the part answered.
 */
public final class PartsTrial {
    private static final int KEYS = 300;
    private static final int LOGGED = 8;
    private static final int STEPS = 6_000;
    private static final int STORE_STEPS = 3_000;
    private static final int STORE_FLUSH_BYTES = 2_000;
    private static final int STORE_TABLES = 4;

    private final Parts parts;
    private final long seed;
    private final Path folder;

    PartsTrial(Parts parts, long seed) {
        this.parts = parts;
        this.seed = seed;
        folder = Workspace.newFolder("parts-" + System.nanoTime());
    }

    /** Puts, overwrites, deletes and reads of random keys, and all keys in order after every hundred steps. */
    public void memtable() {
        Random random = new Random(seed);
        Memtable mine = parts.memtable();
        NavigableMap<byte[], byte[]> model = model();
        for (int step = 0; step < STEPS; step++) {
            byte[] key = key(random);
            byte[] value = random.nextInt(4) == 0 ? null : value(random);
            mine.put(key, value);
            model.put(key, value);
            byte[] asked = key(random);
            same("the memtable's get", asked, model, mine.get(asked));
            if (step % 100 == 0) {
                same("the memtable's ascending", model, mine.ascending());
            }
        }
        long bytes = model.entrySet().stream().mapToLong(each -> each.getKey().length + (each.getValue() == null ? 0 : each.getValue().length)).sum();
        require(Math.abs(mine.bytes() - bytes) <= bytes / 2, "bytes() says %d, keys and values have %d", mine.bytes(), bytes);
    }

    /** A table of all that a model has, deleted keys among them; one with a single key; an empty one. */
    public void table() throws IOException {
        Random random = new Random(seed);
        for (int count : new int[] {0, 1, 2, KEYS}) {
            NavigableMap<byte[], byte[]> model = model();
            while (model.size() < count) {
                model.put(key(random), random.nextInt(5) == 0 ? null : value(random));
            }
            Path file = folder.resolve("table-" + count);
            parts.write(file, records(model));
            try (SortedTable mine = parts.open(file)) {
                for (int i = 0; i < 4 * KEYS; i++) {
                    byte[] asked = key(random);
                    same("get of a table of %d keys".formatted(count), asked, model, mine.get(asked));
                }
                for (byte[] key : model.keySet()) {
                    same("get of a table of %d keys".formatted(count), key, model, mine.get(key));
                }
                same("ascending of a table of %d keys".formatted(count), model, mine.ascending());
            }
        }
    }

    /** @return a table of this many keys, "key0000000" and up, with values of a hundred bytes */
    public SortedTable largeTable(int keys) throws IOException {
        Path file = folder.resolve("large");
        byte[] value = new byte[100];
        parts.write(file, IntStream.range(0, keys).mapToObj(number -> new KeyValue(numbered(number), value)).iterator());
        return parts.open(file);
    }

    /** What was appended comes back in its order, also from a log that is opened anew; after a clear, only what was appended then. */
    public void log() throws IOException {
        Random random = new Random(seed);
        Path file = folder.resolve("log");
        List<KeyValue> written = new ArrayList<>();
        for (int round = 0; round < 3; round++) {
            try (Log mine = parts.log(file)) {
                same("replay", written, mine.replay());
                append(mine, random, written, 20);
            }
        }
        try (Log mine = parts.log(file)) {
            mine.clear();
            written.clear();
            append(mine, random, written, 5);
            same("replay after clear", written, mine.replay());
        }
    }

    /** The log is cut off at every length: what was appended completely before that comes back, and nothing else. Then it can be appended to, and that comes back, too. */
    public void logCutOff() throws IOException {
        Random random = new Random(seed);
        Written whole = written(random);
        for (int length = 0; length < whole.bytes.length; length++) {
            replayed(Arrays.copyOf(whole.bytes, length), whole.before(length), "of %d bytes %d are left".formatted(whole.bytes.length, length), random);
        }
    }

    /** One bit of the log is wrong: what stands before the damaged record comes back, and nothing that was never written. */
    public void logDamaged() throws IOException {
        Random random = new Random(seed);
        Written whole = written(random);
        for (int at = 0; at < whole.bytes.length; at++) {
            byte[] damaged = whole.bytes.clone();
            damaged[at] ^= (byte) (1 << random.nextInt(8));
            replayed(damaged, whole.before(at), "byte %d of %d is damaged".formatted(at, damaged.length), random);
        }
    }

    /** A log's file, and where in it each record ends. */
    private record Written(byte[] bytes, List<KeyValue> records, List<Long> ends) {
        /** The records that stand before a place completely. */
        List<KeyValue> before(int place) {
            return new ArrayList<>(records.subList(0, (int) ends.stream().filter(end -> end <= place).count()));
        }
    }

    private Written written(Random random) throws IOException {
        Path file = folder.resolve("log-" + random.nextInt());
        List<KeyValue> records = new ArrayList<>();
        List<Long> ends = new ArrayList<>();
        try (Log mine = parts.log(file)) {
            for (int i = 0; i < LOGGED; i++) {
                append(mine, random, records, 1);
                ends.add(Files.size(file));
            }
        }
        require(ends.getLast() > 0, "nothing was in the file when append had returned: a crash would lose it");
        return new Written(Files.readAllBytes(file), records, ends);
    }

    private void replayed(byte[] bytes, List<KeyValue> left, String what, Random random) throws IOException {
        Path file = folder.resolve("damaged");
        Files.write(file, bytes);
        try (Log mine = parts.log(file)) {
            same(what + ": replay", left, mine.replay());
            append(mine, random, left, 1);
        }
        try (Log mine = parts.log(file)) {
            same(what + ", and one more record was appended: replay", left, mine.replay());
        }
    }

    private static void append(Log log, Random random, List<KeyValue> written, int count) throws IOException {
        for (int i = 0; i < count; i++) {
            KeyValue record = new KeyValue(key(random), random.nextInt(4) == 0 ? null : value(random));
            log.append(record);
            written.add(record);
        }
    }

    /** One to eight sequences with common keys; the newest that has a key decides. */
    public void merged() {
        Random random = new Random(seed);
        for (int count = 0; count <= 8; count++) {
            NavigableMap<byte[], byte[]> model = model();
            List<Iterator<KeyValue>> newestFirst = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                NavigableMap<byte[], byte[]> one = model();
                for (int left = random.nextInt(KEYS); left > 0; left--) {
                    one.put(key(random), random.nextInt(5) == 0 ? null : value(random));
                }
                model.putAll(one);
                newestFirst.addFirst(records(one));
            }
            same("merging %d sequences".formatted(count), model, parts.merged(newestFirst));
        }
    }

    /** The first record of a merge must not take all of the tables into memory. */
    public void mergedLazily() {
        int each = 100_000;
        int[] read = new int[1];
        List<Iterator<KeyValue>> newestFirst = new ArrayList<>();
        for (int table = 0; table < 4; table++) {
            int offset = table;
            newestFirst.add(IntStream.range(0, each).peek(_ -> read[0]++).mapToObj(number -> new KeyValue(numbered(4 * number + offset), new byte[0])).iterator());
        }
        Iterator<KeyValue> mine = parts.merged(newestFirst);
        for (int i = 0; i < 10; i++) {
            mine.next();
        }
        require(read[0] <= 100, "for the first ten records %,d of %,d were read: a merge of large tables would not fit into memory", read[0], 4 * each);
    }

    /** The whole store, with these parts, against the model: puts, deletes, gets, ranges, and an end without a close after which it opens again. */
    public void store() throws IOException {
        Random random = new Random(seed);
        NavigableMap<byte[], byte[]> model = model();
        Path place = folder.resolve("store");
        AssembledStore mine = opened(place);
        for (int step = 0; step < STORE_STEPS; step++) {
            byte[] key = key(random);
            if (random.nextInt(4) == 0) {
                mine.delete(key);
                model.remove(key);
            } else {
                byte[] value = value(random);
                mine.put(key, value);
                model.put(key, value);
            }
            byte[] asked = key(random);
            require(Arrays.equals(mine.get(asked), model.get(asked)), "step %d: get of %s: the store has %s, the model %s", step, text(asked), text(mine.get(asked)), text(model.get(asked)));
            if (step % 500 == 499) {
                mine = opened(place); // as after a crash: what was acknowledged is there
                List<KeyValue> all = mine.range(null, null);
                same("step %d: all keys after opening the store again".formatted(step), model, all.iterator());
            }
        }
        require(mine.tables() <= STORE_TABLES, "%d tables are left, %d are allowed", mine.tables(), STORE_TABLES);
        mine.close();
    }

    /** A store of these parts with some tables, and how many of them a get of a missing key searches, on average. */
    public double tablesAskedForMissing() throws IOException {
        Random random = new Random(seed);
        try (AssembledStore mine = new AssembledStore(folder.resolve("asked"), parts, 1 << 20, 1_000)) {
            for (int table = 0; table < 10; table++) {
                for (int i = 0; i < 200; i++) {
                    mine.put("there%d".formatted(random.nextInt(1_000_000)).getBytes(StandardCharsets.US_ASCII), new byte[10]);
                }
                mine.flush();
            }
            for (int i = 0; i < 2_000; i++) {
                mine.get("missing%d".formatted(i).getBytes(StandardCharsets.US_ASCII));
            }
            return mine.tablesAsked() / 2_000.0;
        }
    }

    private static byte[] numbered(int number) {
        return "key%07d".formatted(number).getBytes(StandardCharsets.US_ASCII);
    }

    private AssembledStore opened(Path place) throws IOException {
        return new AssembledStore(place, parts, STORE_FLUSH_BYTES, STORE_TABLES);
    }

    private static NavigableMap<byte[], byte[]> model() {
        return new TreeMap<>(Arrays::compareUnsigned);
    }

    private static Iterator<KeyValue> records(Map<byte[], byte[]> model) {
        return model.entrySet().stream().map(each -> new KeyValue(each.getKey(), each.getValue())).iterator();
    }

    /** Few enough to meet again; some with bytes above 127, some that are the beginning of others. */
    private static byte[] key(Random random) {
        int number = random.nextInt(KEYS);
        byte[] key = Integer.toString(number).getBytes(StandardCharsets.US_ASCII);
        if (number % 3 == 0) {
            key[0] |= (byte) 0x80;
        }
        return key;
    }

    private static byte[] value(Random random) {
        byte[] value = new byte[random.nextInt(20)]; // an empty value is a value
        random.nextBytes(value);
        return value;
    }

    private static void same(String what, byte[] asked, Map<byte[], byte[]> model, KeyValue found) {
        boolean isKnown = model.containsKey(asked);
        require(isKnown == (found != null), "%s of %s: %s", what, text(asked), isKnown ? "null, the model knows it" : "something, the model knows nothing");
        require(!isKnown || Arrays.equals(found.key(), asked) && Arrays.equals(found.value(), model.get(asked)), "%s of %s: %s, the model has %s", what, text(asked),
                found == null ? null : text(found.value()), text(model.get(asked)));
    }

    private static void same(String what, Map<byte[], byte[]> model, Iterator<KeyValue> found) {
        Iterator<KeyValue> wanted = records(model);
        int place = 0;
        while (wanted.hasNext() && found.hasNext()) {
            KeyValue right = wanted.next();
            KeyValue mine = found.next();
            require(isSame(right, mine), "%s: in place %d is %s with %s, the model has %s with %s", what, place++, text(mine.key()), text(mine.value()), text(right.key()), text(right.value()));
        }
        require(!wanted.hasNext() && !found.hasNext(), "%s: it ends %s, after %d", what, wanted.hasNext() ? "too early" : "too late", place);
    }

    private static void same(String what, List<KeyValue> right, List<KeyValue> mine) {
        require(right.size() == mine.size(), "%s: %d records came back, %d were whole", what, mine.size(), right.size());
        for (int i = 0; i < right.size(); i++) {
            require(isSame(right.get(i), mine.get(i)), "%s: record %d is another one than was written", what, i);
        }
    }

    private static boolean isSame(KeyValue a, KeyValue b) {
        return Arrays.equals(a.key(), b.key()) && Arrays.equals(a.value(), b.value());
    }

    /** Bytes that are no ASCII letters as numbers. */
    private static String text(byte[] bytes) {
        if (bytes == null) {
            return "nothing";
        }
        StringBuilder text = new StringBuilder("\"");
        for (byte b : bytes) {
            text.append(b > ' ' && b < 127 ? Character.toString(b) : "\\x%02x".formatted(b & 0xff));
        }
        return text.append('"').toString();
    }

    private static void require(boolean condition, String otherwise, Object... values) {
        if (condition) {
            Grading.passed();
        } else {
            throw new AssertionError(otherwise.formatted(values));
        }
    }
}
