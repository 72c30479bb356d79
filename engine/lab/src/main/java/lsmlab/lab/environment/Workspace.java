// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.environment;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * Folders of one kernel, {@code .lab/run/PID/...}, removed when it ends. What a killed kernel left behind is removed when the next one
 * makes its first folder.
 */
public final class Workspace {
    private static final Path MINE = mine();

    private Workspace() {}

    private static Path mine() {
        Path run = Project.scratch("run");
        try (var folders = Files.list(run)) {
            for (Path folder : folders.toList()) {
                String name = folder.getFileName().toString();
                if (name.matches("\\d+") && ProcessHandle.of(Long.parseLong(name)).isEmpty()) {
                    deleteLeftover(folder);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Path mine = Project.scratch("run/" + Children.pid());
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            Children.killAll();
            delete(mine);
        }, "remove-workspace"));
        return mine;
    }

    /** What can't be deleted, or is deleted by another kernel at the same time, is left to the next one. */
    private static void deleteLeftover(Path folder) {
        try {
            delete(folder);
        } catch (UncheckedIOException e) {
            // a killed kernel's server may still write there
        }
    }

    /** Name of the notebook that this kernel runs, as Jupyter and scripts/lab give it; in another kernel "a notebook". */
    public static String notebook() {
        return Stream.of("LSM_LAB_NOTEBOOK", "JPY_SESSION_NAME").map(System::getenv).filter(path -> path != null && !path.isBlank()).findFirst()
                .map(path -> Path.of(path).getFileName().toString().replaceFirst("\\.ipynb$", "")).orElse("a notebook");
    }

    public static Path newFolder(String name) {
        try {
            return Files.createDirectories(MINE.resolve(name));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public static void delete(Path folder) {
        try (var files = Files.walk(folder)) {
            List<Path> deepestFirst = files.sorted(Comparator.reverseOrder()).toList();
            for (Path file : deepestFirst) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
