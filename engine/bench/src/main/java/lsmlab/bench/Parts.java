// SPDX-License-Identifier: Apache-2.0
package lsmlab.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * The parts of a long benchmark. Each is kept when it ends, so that a run which was interrupted goes on where it stopped, on this machine or on one like it: classes, JDK, processor and the
 * number of cores are the same. WHY that is enough: builds are reproducible, and a part compares within itself.
 *
 * @param <T> what a part finds, as JSON can hold it
 */
final class Parts<T> {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Path folder;
    private final Class<T> type;
    private final Predicate<T> isWhole;
    private final List<Part<T>> planned = new ArrayList<>();

    /** @param name of a part, as its file and the progress call it */
    private record Part<T>(String name, Task<T> task) {}

    interface Task<T> {
        T run() throws IOException, InterruptedException;
    }

    /** What a part left. */
    private record Kept(String utc, long seconds, JsonNode found) {}

    /** When a part was measured, for the row: the parts of one row may lie days apart. */
    record Done(String name, String utc, long seconds) {}

    /**
     * @param folder for the parts of all benchmarks; those of this one are beside others of other classes
     * @param name of this benchmark and its mode
     * @param jars that are measured and not on the class path
     * @param isWhole whether to keep what a part found; if not, the next run tries it again
     */
    Parts(Path folder, String name, List<Path> jars, Class<T> type, Predicate<T> isWhole) throws IOException {
        this.folder = folder.resolve(name + "-" + sum(jars));
        this.type = type;
        this.isWhole = isWhole;
    }

    /** A few digits that other classes, another JDK or another processor would not have. */
    private static String sum(List<Path> jars) throws IOException {
        try {
            MessageDigest sum = MessageDigest.getInstance("SHA-256");
            sum.update("%s, %s, %d cores".formatted(Runtime.version(), Row.cpu(), Runtime.getRuntime().availableProcessors()).getBytes());
            for (Path jar : jars) {
                try (ZipFile zip = new ZipFile(jar.toFile())) { // not its bytes: they hold when it was built, and what shading made of the notices
                    zip.stream().filter(entry -> !entry.getName().equals("META-INF/NOTICE")).sorted(Comparator.comparing(ZipEntry::getName))
                            .forEach(entry -> sum.update((entry.getName() + entry.getCrc()).getBytes()));
                }
            }
            for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
                try (var files = Files.walk(Path.of(entry))) {
                    for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
                        sum.update(file.toString().endsWith(".class") || file.toString().contains("lsm-") ? Files.readAllBytes(file) : file.getFileName().toString().getBytes());
                    }
                }
            }
            return HexFormat.of().formatHex(Arrays.copyOf(sum.digest(), 6));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    void plan(String name, Task<T> task) {
        planned.add(new Part<>(name, task));
    }

    /** Runs what was not run yet, and hands on what all found. */
    List<Done> run(Consumer<T> add) throws IOException, InterruptedException {
        List<Done> done = new ArrayList<>();
        long seconds = 0;
        for (int i = 0; i < planned.size(); i++) {
            Part<T> part = planned.get(i);
            Path file = folder.resolve(part.name().toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-") + ".json");
            boolean isKept = Files.exists(file);
            Kept kept = isKept ? JSON.readValue(file.toFile(), Kept.class) : run(part, file);
            seconds += kept.seconds();
            done.add(new Done(part.name(), kept.utc(), kept.seconds()));
            add.accept(JSON.treeToValue(kept.found(), type));
            String left = i + 1 == planned.size() ? "" : "; about %d minutes are left".formatted(Duration.ofSeconds(seconds / (i + 1) * (planned.size() - i - 1)).toMinutes() + 1);
            Main.progress("part %d of %d, %s: %s%s", i + 1, planned.size(), part.name(), isKept ? "kept from before" : "done in %d s".formatted(kept.seconds()), left);
        }
        return done;
    }

    private Kept run(Part<T> part, Path file) throws IOException, InterruptedException {
        String utc = Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
        long start = System.nanoTime();
        T found = part.task().run();
        Kept kept = new Kept(utc, Duration.ofNanos(System.nanoTime() - start).toSeconds(), JSON.valueToTree(found));
        if (isWhole.test(found)) {
            Files.createDirectories(folder);
            Path unfinished = file.resolveSibling(file.getFileName() + ".unfinished");
            JSON.writeValue(unfinished.toFile(), kept);
            Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
        }
        return kept;
    }

    /** The next run begins anew. */
    void forget() throws IOException {
        Child.delete(folder);
    }
}
