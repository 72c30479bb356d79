// SPDX-License-Identifier: Apache-2.0
package lsmlab.bench;

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

/** The parts of a long benchmark. Each is kept when it ends, so that a run which was interrupted goes on where it stopped, as long as classes, JDK and processor are the same. */
final class Parts {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Path folder;
    private final List<Part> planned = new ArrayList<>();

    /** @param name of a part, as its file and the progress call it */
    private record Part(String name, Task task) {}

    interface Task {
        void run(Report report) throws IOException;
    }

    /** What a part left. */
    private record Kept(long seconds, List<Report.Measure> measures, List<String> failures) {}

    /** @param folder for the parts of all benchmarks; those of this one are beside others of other classes */
    Parts(Path folder, String mode) throws IOException {
        this.folder = folder.resolve(mode + "-" + classes());
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

    void plan(String name, Task task) {
        planned.add(new Part(name, task));
    }

    /** Runs what was not run yet, and adds all to the report. */
    void run(Report report) throws IOException {
        long seconds = 0;
        for (int i = 0; i < planned.size(); i++) {
            Part part = planned.get(i);
            Path file = folder.resolve(part.name().toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-") + ".json");
            boolean isKept = Files.exists(file);
            Kept kept = isKept ? JSON.readValue(file.toFile(), Kept.class) : run(part, report, file);
            seconds += kept.seconds();
            report.addAll(kept.measures(), kept.failures());
            String left = i + 1 == planned.size() ? "" : "; about %d minutes are left".formatted(Duration.ofSeconds(seconds / (i + 1) * (planned.size() - i - 1)).toMinutes() + 1);
            Main.progress("part %d of %d, %s: %s%s", i + 1, planned.size(), part.name(), isKept ? "kept from before" : "done in %d s".formatted(kept.seconds()), left);
        }
    }

    private Kept run(Part part, Report whole, Path file) throws IOException {
        long start = System.nanoTime();
        Report report = whole.ofPart();
        part.task().run(report);
        Kept kept = new Kept(Duration.ofNanos(System.nanoTime() - start).toSeconds(), report.measures(), report.failures());
        Files.createDirectories(folder);
        Path unfinished = file.resolveSibling(file.getFileName() + ".unfinished");
        if (!kept.failures().isEmpty()) {
            return kept; // the next run tries it again
        }
        JSON.writeValue(unfinished.toFile(), kept);
        Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
        return kept;
    }

    /** The next run begins anew. */
    void forget() throws IOException {
        Child.delete(folder);
    }
}
