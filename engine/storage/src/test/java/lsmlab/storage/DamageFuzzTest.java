// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import static lsmlab.storage.Bytes.of;
import static lsmlab.storage.Bytes.text;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;
import lsmlab.storage.MemoryDisk.Crash;
import lsmlab.storage.entries.CorruptionException;
import lsmlab.storage.options.Compaction;
import lsmlab.storage.options.Options;
import lsmlab.storage.options.Wal;
import org.junit.jupiter.api.Test;

/**
 * Stores of any shape, one file of which is flipped, cut, exchanged, deleted or copied: an opening, or a read, names a file; or what is found is
 * right. Only the end of the newest log may be lost, as after a crash. {@code -Dlsmlab.seed=N} runs one case again.
 */
class DamageFuzzTest {
    private static final int STORES = Tests.ALL ? 500 : 60;
    private static final int DAMAGES = 25; // of each store

    private enum Damage { FLIP, CUT, ZERO, EXCHANGE, DELETE, COPY, COPY_AS_NEW }

    /** What was written, state by state: the newest log may lose the last ones. */
    private final List<String> states = new ArrayList<>();

    @Test
    void nothingIsWrongSilently() throws IOException {
        Long only = Long.getLong("lsmlab.seed");
        int found = 0;
        for (long seed = only == null ? 0 : only; seed < (only == null ? STORES : only + 1); seed++) {
            Random random = new Random(seed);
            Options options = options(random);
            MemoryDisk sound = store(random, options);
            for (int i = 0; i < DAMAGES; i++) {
                MemoryDisk disk = sound.after(Crash.KILL, random);
                String what = damage(disk, random);
                found += isFound(disk, options, "seed %d: %s in %s".formatted(seed, what, sound.list())) ? 1 : 0;
            }
        }
        int cases = (only == null ? STORES : 1) * DAMAGES;
        System.out.printf("%d cases of damage, %d were found, none was wrong silently%n", cases, found);
        assertTrue(only != null || found > cases / 3, "only %d of %d".formatted(found, cases));
    }

    private static Options options(Random random) {
        return Options.defaults().withWal(random.nextBoolean() ? Wal.OS : Wal.SYNC).withMaxFrozen(1 + random.nextInt(5))
                .withCompaction(Compaction.values()[random.nextInt(Compaction.values().length)]).withFlushThresholdBytes(100 + random.nextInt(2_000));
    }

    /** As a kill leaves it: maybe with logs whose flushes have not begun. */
    private MemoryDisk store(Random random, Options options) throws IOException {
        states.clear();
        MemoryDisk disk = new MemoryDisk();
        Map<String, String> model = new TreeMap<>();
        MemoryDisk left = null;
        for (int openings = 1 + random.nextInt(3); openings > 0; openings--) {
            CountDownLatch go = new CountDownLatch(1);
            if (openings == 1 && random.nextBoolean()) {
                disk.holdCreates(".table.tmp", go);
            }
            try (Engine engine = Engine.open(disk, options)) {
                int writes = random.nextInt(60);
                for (int i = 0; i < writes && engine.stats().held().memtableBytes() < options.flushThresholdBytes(); i++) {
                    write(engine, model, random);
                }
                left = disk.after(Crash.KILL, random);
                go.countDown();
            }
        }
        return left;
    }

    private void write(Engine engine, Map<String, String> model, Random random) {
        String key = "k" + random.nextInt(30);
        if (random.nextInt(5) == 0) {
            model.remove(key);
            engine.delete(of(key));
        } else {
            String value = "v".repeat(random.nextInt(100)) + random.nextInt();
            model.put(key, value);
            engine.put(of(key), of(value));
        }
        states.add(model.entrySet().stream().map(e -> e.getKey() + "=" + e.getValue()).collect(Collectors.joining(" ")));
    }

    private static String damage(MemoryDisk disk, Random random) throws IOException {
        List<String> names = new ArrayList<>(disk.list());
        Collections.sort(names);
        String name = names.get(random.nextInt(names.size()));
        String other = names.get(random.nextInt(names.size()));
        byte[] bytes = disk.bytes(name);
        Damage damage = Damage.values()[random.nextInt(Damage.values().length)];
        int at = bytes.length == 0 ? 0 : random.nextInt(bytes.length);
        switch (damage) {
            case FLIP -> {
                if (bytes.length > 0) {
                    bytes[at] ^= (byte) (1 << random.nextInt(8));
                    disk.set(name, bytes);
                }
            }
            case CUT -> disk.set(name, Arrays.copyOf(bytes, at));
            case ZERO -> disk.set(name, Arrays.copyOf(Arrays.copyOf(bytes, at), bytes.length));
            case EXCHANGE -> {
                disk.set(name, disk.bytes(other));
                disk.set(other, bytes);
            }
            case DELETE -> disk.deleteIfExists(name);
            case COPY -> disk.set(other, bytes);
            case COPY_AS_NEW -> disk.set(name.replaceFirst("\\d{10}", "%010d".formatted(1 + random.nextInt(100))), bytes);
        }
        return "%s %s %s at %d".formatted(damage, name, other, at);
    }

    private boolean isFound(MemoryDisk disk, Options options, String context) {
        String newestLog = disk.list().stream().filter(name -> name.endsWith(".log")).sorted().reduce((a, b) -> b).orElse("no log");
        try (Engine engine = Engine.open(disk, options); Scan all = engine.scan(null, null)) {
            String found = text(all);
            boolean isTheEnd = found.equals(states.isEmpty() ? "" : states.getLast());
            boolean lostTheEndOfTheNewest = (context.contains(" " + newestLog + " ")) && (found.isEmpty() || states.contains(found));
            assertTrue(isTheEnd || lostTheEndOfTheNewest, () -> context + "\nfound    " + found + "\nexpected " + states.getLast());
            return !isTheEnd;
        } catch (CorruptionException e) {
            return named(e, context);
        } catch (UncheckedIOException e) {
            return named(e.getCause(), context);
        } catch (IOException e) {
            throw new AssertionError(context, e);
        }
    }

    private static boolean named(IOException e, String context) {
        assertTrue(e instanceof CorruptionException && e.getMessage().matches("(?s).*(MANIFEST|\\d{10}\\.(table|log)).*"), () -> context + ": " + e);
        return true;
    }
}
