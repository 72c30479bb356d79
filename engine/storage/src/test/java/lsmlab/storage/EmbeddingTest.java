// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The programs of README.md and of the package's documentation, compiled and run as somebody would who has only the jar. */
class EmbeddingTest {
    private static final Pattern PROGRAM = Pattern.compile("```java\\n(.*?)```", Pattern.DOTALL);
    private static final Pattern SNIPPET = Pattern.compile("\\{@snippet :\\n(.*?)\\n \\* }\\n \\*\\n", Pattern.DOTALL);

    @TempDir
    Path folder;

    @Test
    void theReadmesProgramRuns() throws Exception {
        String program = first(PROGRAM, Path.of("README.md"));
        assertEquals("hello\n", run(program, folder.resolve("store").toString()), "no warning, and what was put");
    }

    @Test
    void theExampleOfThePackageRuns() throws Exception {
        String lines = first(SNIPPET, Path.of("src/main/java/lsmlab/storage/package-info.java")).replaceAll("(?m)^ \\* ", "");
        String program = "import java.nio.file.Path; import lsmlab.storage.*; import lsmlab.storage.options.*; "
                + "class Hello { public static void main(String[] arguments) throws Exception {\n" + lines + "\n} }";
        assertEquals("hello\nnull\n1\n", run(program));
    }

    private static String first(Pattern pattern, Path file) throws IOException {
        Matcher found = pattern.matcher(Files.readString(file));
        assertTrue(found.find(), file.toString());
        return found.group(1);
    }

    /** What the class {@code Hello} prints. */
    private String run(String program, String... arguments) throws Exception {
        Path source = Files.writeString(folder.resolve("Hello.java"), program);
        String engine = Path.of("target/classes").toAbsolutePath().toString();
        assertEquals(0, ToolProvider.getSystemJavaCompiler().run(null, null, null, "-cp", engine, "-d", folder.toString(), source.toString()));
        List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "--enable-native-access=ALL-UNNAMED",
                "-cp", engine + File.pathSeparator + folder, "Hello"));
        command.addAll(List.of(arguments));
        Process run = new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true).start();
        String said = new String(run.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, run.waitFor(), said);
        return said;
    }
}
