// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab.environment;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The project's folders. */
public final class Project {
    private Project() {}

    /** The project's folder, from the environment the scripts set. */
    public static Path root() {
        String root = System.getenv("LSM_LAB_ROOT");
        if (root == null) {
            throw new IllegalStateException("this is not the lab's own kernel: start JupyterLab with scripts/lab, or install the kernel with scripts/lab kernel --install and choose it");
        }
        return Path.of(root);
    }

    /** Scratch folder inside the project, made if need be; git ignores it. */
    public static Path scratch(String name) {
        try {
            return Files.createDirectories(root().resolve(".lab").resolve(name));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A file of scripts/wrk2, or an absolute path. */
    public static Path script(String name) {
        Given.some("script", "a name, \"get-random.lua\"", name);
        Path scripts = root().resolve("scripts/wrk2");
        Path script = scripts.resolve(name);
        if (!Files.isRegularFile(script)) {
            try (Stream<Path> files = Files.list(scripts)) {
                throw new IllegalArgumentException("there is no load script %s; scripts/wrk2 has %s".formatted(name,
                        files.map(file -> file.getFileName().toString()).sorted().collect(Collectors.joining(", "))));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return script;
    }
}
