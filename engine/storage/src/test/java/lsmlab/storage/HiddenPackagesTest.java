// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.module.ModuleDescriptor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** On the module path, a program may name a class of an exported package and none of a hidden one. */
class HiddenPackagesTest {
    private static final Path CLASSES = Path.of("target/classes").toAbsolutePath();

    @TempDir
    Path folder;

    @Test
    void aProgramCompilesAgainstExportedPackagesOnly() throws IOException {
        Set<String> exported = exported();
        Set<String> hidden = new TreeSet<>();
        try (var files = Files.walk(CLASSES)) {
            for (Path file : files.filter(file -> file.getFileName().toString().matches("[A-Z]\\w*\\.class")).toList()) {
                String name = CLASSES.relativize(file).toString().replace(".class", "").replace('/', '.');
                String itsPackage = name.substring(0, name.lastIndexOf('.'));
                if (exported.contains(itsPackage)) {
                    continue;
                }
                hidden.add(itsPackage);
                assertTrue(compile(name) != 0, name + " is hidden");
            }
        }
        assertEquals(0, compile("lsmlab.storage.Engine"));
        assertEquals(Set.of("lsmlab.storage", "lsmlab.storage.assembled", "lsmlab.storage.entries", "lsmlab.storage.options", "lsmlab.storage.stats"), exported);
        assertTrue(hidden.contains("lsmlab.storage.tree"), hidden.toString());
    }

    private static Set<String> exported() throws IOException {
        try (InputStream descriptor = Files.newInputStream(CLASSES.resolve("module-info.class"))) {
            return ModuleDescriptor.read(descriptor).exports().stream().map(ModuleDescriptor.Exports::source).collect(Collectors.toSet());
        }
    }

    private int compile(String named) throws IOException {
        Files.writeString(folder.resolve("module-info.java"), "module program { requires lsmlab.storage; }");
        Path program = Files.createDirectories(folder.resolve("program")).resolve("Program.java");
        Files.writeString(program, "package program; class Program { %s field; }".formatted(named));
        return ToolProvider.getSystemJavaCompiler().run(null, OutputStream.nullOutputStream(), OutputStream.nullOutputStream(), "--module-path", CLASSES.toString(),
                "-d", folder.resolve("out").toString(), folder.resolve("module-info.java").toString(), program.toString());
    }
}
