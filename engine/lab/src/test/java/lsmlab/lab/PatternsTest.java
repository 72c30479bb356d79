// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.lang.classfile.ClassModel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import lsmlab.lab.environment.Json;
import lsmlab.lab.profile.Layers;
import org.junit.jupiter.api.Test;

/**
 * Profiles are read by patterns over the names of classes. One that names a class that is gone matches nothing, and a share of 0 changes a
 * verdict without a word.
 */
class PatternsTest {
    private static final Path ROOT = Path.of("../..");
    private static final int LEAST_NAMES = 20;
    private static final Pattern LITERAL = Pattern.compile("\"((?:[^\"\\\\\\n]|\\\\.)*)\"");
    /** The beginning of a class's name in a pattern, and of a method's if there is one. */
    private static final Pattern NAMED = Pattern.compile("(?<![\\w$/])([A-Z]\\w+)(\\.[a-z]\\w*|\\.)?");

    @Test
    void everyClassInAPatternExists() throws IOException {
        List<ClassModel> compiled = ArchitectureTest.classes("storage", "server");
        Map<String, Set<String>> classes = classes(compiled);
        List<String> frames = frames(compiled);
        Set<String> missing = new HashSet<>();
        int names = 0;
        for (String pattern : patterns()) {
            Predicate<String> fits = Pattern.compile(pattern).asPredicate();
            if (frames.stream().noneMatch(frame -> fits.test(pattern.contains("/") ? frame : frame.replace('/', '.')))) {
                missing.add("all of " + pattern);
            }
            for (String part : pattern.split("(?=one/nio|sun/nio|java/net|jdk/internal)")) {
                Matcher named = NAMED.matcher(classNames(part));
                while (named.find()) {
                    names++;
                    if (!exists(classes, named.group(1), named.group(2))) {
                        missing.add(named.group() + " of " + pattern);
                    }
                }
            }
        }
        assertEquals(Set.of(), missing);
        assertTrue(names >= LEAST_NAMES, names + " names");
    }

    /** Of "lsmlab/server/(\\w+/)*(Request\\.|Answer)" the part with names, "(Request.|Answer)"; nothing of a pattern that is not ours. */
    private static String classNames(String pattern) {
        int ours = pattern.indexOf("lsmlab");
        return ours < 0 ? "" : pattern.substring(ours).replaceAll("\\(\\\\w\\+/\\)\\*|\\\\w[*+]", "").replace("\\", "").replaceAll("lsmlab[./]\\w+[./]", " ");
    }

    /** Patterns are found anywhere in a frame: a name may be the end of a class's, and without a dot behind it any part of one. */
    private static boolean exists(Map<String, Set<String>> classes, String name, String rest) {
        if (rest == null) {
            return classes.keySet().stream().anyMatch(known -> known.contains(name));
        }
        return classes.entrySet().stream().filter(known -> known.getKey().endsWith(name))
                .anyMatch(known -> known.getValue().stream().anyMatch(method -> method.startsWith(rest.substring(1))));
    }

    /** The literals of notebooks, of the profiles' {@link Layers} and of the benchmarks that name our classes as stacks do. */
    private static List<String> patterns() throws IOException {
        List<String> texts = new ArrayList<>(List.of(Files.readString(ROOT.resolve("engine/lab/src/main/java/lsmlab/lab/profile/Layers.java")),
                Files.readString(ROOT.resolve("engine/bench/src/main/java/lsmlab/bench/Layers.java"))));
        try (Stream<Path> notebooks = Files.list(ROOT.resolve("notebooks"))) {
            for (Path notebook : notebooks.filter(file -> file.toString().endsWith(".ipynb")).toList()) {
                for (JsonNode cell : Json.MAPPER.readTree(notebook.toFile()).get("cells")) {
                    if (cell.get("cell_type").asText().equals("code")) {
                        StringBuilder source = new StringBuilder();
                        cell.get("source").forEach(line -> source.append(line.asText()));
                        texts.add(source.toString());
                    }
                }
            }
        }
        List<String> patterns = new ArrayList<>();
        for (String text : texts) {
            LITERAL.matcher(text).results().map(literal -> literal.group(1).translateEscapes())
                    .filter(literal -> literal.contains("lsmlab/") || literal.contains("lsmlab.s")).forEach(patterns::add);
        }
        return patterns;
    }

    /** As stacks show them: "lsmlab/storage/tree/Versions.freeze". */
    private static List<String> frames(List<ClassModel> classes) {
        return classes.stream().flatMap(compiled -> compiled.methods().stream()
                .map(method -> compiled.thisClass().asInternalName() + "." + method.methodName().stringValue())).toList();
    }

    /** The classes of the engine and the server, and their methods, by simple name. */
    private static Map<String, Set<String>> classes(List<ClassModel> all) {
        Map<String, Set<String>> classes = new TreeMap<>();
        for (ClassModel compiled : all) {
            String name = compiled.thisClass().asInternalName().replaceFirst(".*/", "");
            Set<String> methods = classes.computeIfAbsent(name.replaceFirst("\\$.*", ""), _ -> new HashSet<>());
            compiled.methods().forEach(method -> methods.add(method.methodName().stringValue()));
        }
        return classes;
    }
}
