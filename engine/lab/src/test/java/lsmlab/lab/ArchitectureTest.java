// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.constantpool.ClassEntry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** The arrows between packages: what the classes of each module may name. */
class ArchitectureTest {
    private static final Path ENGINE = Path.of("..");
    private static final Map<String, Set<String>> MAY_NAME = Map.of(
            "storage", Set.of(),
            "server", Set.of("lsmlab/storage"),
            "load", Set.of(),
            "lab", Set.of("lsmlab/storage", "lsmlab/load"));

    @Test
    void modulesNameOnlyThoseTheyMay() throws IOException {
        for (String module : MAY_NAME.keySet()) {
            for (String named : named(module)) {
                boolean ours = named.startsWith("lsmlab/");
                boolean allowed = named.startsWith("lsmlab/" + module + "/") || MAY_NAME.get(module).stream().anyMatch(named::startsWith);
                assertTrue(!ours || allowed, module + " names " + named);
            }
        }
    }

    @Test
    void storageNamesNothingBeyondTheJdk() throws IOException {
        Set<String> beyond = new TreeSet<>(named("storage"));
        beyond.removeIf(name -> name.startsWith("[") || name.startsWith("java/") || name.startsWith("jdk/jfr/") || name.startsWith("lsmlab/storage/"));
        assertEquals(Set.of(), beyond);
    }

    @Test
    void noFileOfStorageIsLongerThan350Lines() throws IOException {
        try (var files = Files.list(ENGINE.resolve("storage/src/main/java/lsmlab/storage"))) {
            for (Path file : files.toList()) {
                assertTrue(Files.readAllLines(file).size() <= 350, file + " is too long to be read in one go");
            }
        }
    }

    /** Every class that the module's classes name. */
    private static Set<String> named(String module) throws IOException {
        List<Path> files;
        try (var all = Files.walk(ENGINE.resolve(module).resolve("target/classes"))) {
            files = all.filter(file -> file.toString().endsWith(".class")).toList();
        }
        Set<String> names = new TreeSet<>();
        for (Path file : files) {
            for (var entry : ClassFile.of().parse(file).constantPool()) {
                if (entry instanceof ClassEntry named) {
                    names.add(named.asInternalName().replaceFirst("^\\[+L", ""));
                }
            }
        }
        return names;
    }
}
