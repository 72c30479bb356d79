// SPDX-License-Identifier: Apache-2.0
package lsmlab.storage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The program of README.md, compiled and run as somebody would who has only the jar. */
class EmbeddingTest {
    private static final Pattern PROGRAM = Pattern.compile("```java\\n(.*?)```", Pattern.DOTALL);

    @Test
    void theReadmesProgramRuns(@TempDir Path folder) throws Exception {
        Matcher program = PROGRAM.matcher(Files.readString(Path.of("README.md")));
        assertTrue(program.find());
        Path source = Files.writeString(folder.resolve("Hello.java"), program.group(1));
        String engine = Path.of("target/classes").toAbsolutePath().toString();
        assertEquals(0, ToolProvider.getSystemJavaCompiler().run(null, null, null, "-cp", engine, "-d", folder.toString(), source.toString()));
        Process run = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "--enable-native-access=ALL-UNNAMED",
                "-cp", engine + System.getProperty("path.separator") + folder, "Hello", folder.resolve("store").toString()).redirectErrorStream(true).start();
        String said = new String(run.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals("hello\n", said, "no warning, and what was put");
        assertEquals(0, run.waitFor());
    }
}
