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
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * The parts of a long benchmark. Each is kept when it ends, so that a run which was interrupted goes on where it stopped, as long as classes, JDK and processor are the same.
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
    private record Kept(long seconds, JsonNode found) {}

    /**
     * @param folder for the parts of all benchmarks; those of this one are beside others of other classes
     * @param name of this benchmark and its mode
     * @param isWhole whether to keep what a part found; if not, the next run tries it again
     */
    Parts(Path folder, String name, Class<T> type, Predicate<T> isWhole) throws IOException {
        this.folder = folder.resolve(name + "-" + classes());
        this.type = type;
        this.isWhole = isWhole;
    }

    /** A few digits that other classes, another JDK or another processor would not have. */
    private static String classes() throws IOException {
        try {
            MessageDigest sum = MessageDigest.getInstance("SHA-256");
            sum.update((Runtime.version() + Row.cpu()).getBytes());
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
    void run(Consumer<T> add) throws IOException, InterruptedException {
        long seconds = 0;
        for (int i = 0; i < planned.size(); i++) {
            Part<T> part = planned.get(i);
            Path file = folder.resolve(part.name().toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-") + ".json");
            boolean isKept = Files.exists(file);
            Kept kept = isKept ? JSON.readValue(file.toFile(), Kept.class) : run(part, file);
            seconds += kept.seconds();
            add.accept(JSON.treeToValue(kept.found(), type));
            String left = i + 1 == planned.size() ? "" : "; about %d minutes are left".formatted(Duration.ofSeconds(seconds / (i + 1) * (planned.size() - i - 1)).toMinutes() + 1);
            Main.progress("part %d of %d, %s: %s%s", i + 1, planned.size(), part.name(), isKept ? "kept from before" : "done in %d s".formatted(kept.seconds()), left);
        }
    }

    private Kept run(Part<T> part, Path file) throws IOException, InterruptedException {
        long start = System.nanoTime();
        T found = part.task().run();
        Kept kept = new Kept(Duration.ofNanos(System.nanoTime() - start).toSeconds(), JSON.valueToTree(found));
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
