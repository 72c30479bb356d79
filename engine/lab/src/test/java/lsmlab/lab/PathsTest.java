// SPDX-License-Identifier: Apache-2.0
package lsmlab.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The paths through the code that engine/README.md describes. */
class PathsTest {
    private static final Path ENGINE = Path.of("..");
    private static final Pattern STEP = Pattern.compile("`([A-Z]\\w+)\\.([a-z]\\w+)`");

    @Test
    void eachStepIsInTheCode() throws IOException {
        String readme = Files.readString(ENGINE.resolve("README.md"));
        String paths = readme.substring(readme.indexOf("## Where to read"), readme.indexOf("[server/README.md]"));
        List<MatchResult> steps = STEP.matcher(paths).results().toList();
        Map<String, List<Path>> sources = sources();
        List<String> missing = steps.stream()
                .filter(step -> sources.getOrDefault(step.group(1), List.of()).stream().noneMatch(source -> declares(source, step.group(2))))
                .map(MatchResult::group).toList();
        assertEquals(List.of(), missing);
        assertTrue(steps.size() > 30, steps.size() + " steps were found");
        assertTrue(paths.lines().filter(line -> line.matches("\\d\\. .*")).count() <= 25);
    }

    /** By the name of the class; modules share some names. */
    private static Map<String, List<Path>> sources() throws IOException {
        try (var files = Files.walk(ENGINE)) {
            return files.filter(file -> file.toString().matches(".*/src/main/java/.*\\.java"))
                    .collect(Collectors.groupingBy(file -> file.getFileName().toString().replace(".java", "")));
        }
    }

    private static boolean declares(Path source, String method) {
        try {
            return Pattern.compile("^ +[\\w.<>\\[\\], ]+ " + method + "\\(", Pattern.MULTILINE).matcher(Files.readString(source)).find();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
